"""todo_write: replace the list of this chat, or change some items of it."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from desktop.domain.core.content import Card, TextBlock
from desktop.domain.core.permissions import Category
from desktop.domain.core.work import Todo
from desktop.domain.core.work_events import TodosChanged
from desktop.tools.todo_text import todo_counts, todo_lines
from desktop.tools.tool import Tool, ToolArgs, ToolContext, ToolError, ToolResult

MAX_TODOS = 100
MAX_TEXT = 2_000
_STATUS: dict[str, Literal["pending", "in_progress", "completed"]] = {
    "in_progress": "in_progress",
    "inProgress": "in_progress",
    "completed": "completed",
}


class TodoItem(BaseModel):
    """One item; of the text fields the first that says something counts."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    content: str | None = Field(default=None, max_length=MAX_TEXT, description="What is to be done.")
    activeForm: str | None = Field(  # noqa: N815 - the name that models use
        default=None, max_length=MAX_TEXT, description="Another name for content."
    )
    description: str | None = Field(default=None, max_length=MAX_TEXT, description="Another name for content.")
    text: str | None = Field(default=None, max_length=MAX_TEXT, description="Another name for content.")
    status: str | None = Field(default=None, max_length=40, description="pending, in_progress or completed.")
    id: str | None = Field(default=None, max_length=80, description="Which item, for merge.")

    @property
    def words(self) -> str:
        """The text of the item, "" when it has none."""
        return next((t.strip() for t in (self.content, self.activeForm, self.description, self.text) if t), "")


class TodoWrite(ToolArgs):
    """The list of what is to do, whole or as changes of the one there is."""

    todos: list[TodoItem] = Field(max_length=MAX_TODOS, description="The whole list, or with merge the changed items.")
    merge: bool = Field(default=False, description="Change items by their id and add new ones, keep the others.")


def _card(args: TodoWrite) -> Card:
    todos = _replaced(args)
    return Card(title="Update the todo list", blocks=(TextBlock(text="\n".join(todo_lines(todos))),) if todos else ())


async def _run(args: TodoWrite, ctx: ToolContext) -> ToolResult:
    todos = _merged(args, ctx.session.todos) if args.merge else _replaced(args)
    open_lines = [line for line, todo in zip(todo_lines(todos), todos, strict=True) if todo.status != "completed"]
    counts = todo_counts(todos)
    return ToolResult(
        text="\n".join([f"{counts}.", *open_lines]),
        blocks=(TextBlock(text="\n".join(todo_lines(todos)) or "No todos."),),
        summary=counts,
        follow=(TodosChanged(todos=todos, by="tool", call_id=ctx.call_id),),
    )


def _status(item: TodoItem) -> Literal["pending", "in_progress", "completed"]:
    return _STATUS.get(item.status or "", "pending")


def _replaced(args: TodoWrite) -> tuple[Todo, ...]:
    taken: set[str] = set()
    todos: list[Todo] = []
    for index, item in enumerate(args.todos, 1):
        if not item.words:
            continue
        todo_id = item.id if item.id and item.id not in taken else f"todo-{index}"
        taken.add(todo_id)
        todos.append(Todo(id=todo_id, content=item.words, status=_status(item)))
    return tuple(todos)


def _merged(args: TodoWrite, now: tuple[Todo, ...]) -> tuple[Todo, ...]:
    todos = {todo.id: todo for todo in now}
    for index, item in enumerate(args.todos, len(now) + 1):
        todo_id = item.id or f"todo-{index}"
        known = todos.get(todo_id)
        if known is None and not item.words:
            raise ToolError(f'There is no todo "{todo_id}", and no text for a new one.', summary="no such item")
        status = _status(item) if item.status or known is None else known.status
        content = item.words or (known.content if known else "")
        todos[todo_id] = Todo(id=todo_id, content=content, status=status)
    if len(todos) > MAX_TODOS:
        raise ToolError(f"A list has at most {MAX_TODOS} items.", summary="too many")
    return tuple(todos.values())


TOOL = Tool(
    name="todo_write",
    aliases=("TodoWrite", "update_todos"),
    description=(
        "Set the todo list of this chat, which people see. Replaces the list; with merge it changes the items whose id "
        "is given and adds new ones."
    ),
    args=TodoWrite,
    category=Category.READ,
    parallel=False,
    card=_card,
    run=_run,
)
