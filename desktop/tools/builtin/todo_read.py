"""todo_read: the todo list of this chat."""

from desktop.domain.core.content import Card
from desktop.domain.core.permissions import Category
from desktop.tools.todo_text import todo_counts, todo_lines
from desktop.tools.tool import Tool, ToolArgs, ToolContext, ToolResult


class TodoRead(ToolArgs):
    """The arguments of `todo_read`: none."""


def _card(args: TodoRead) -> Card:
    return Card(title="Read the todo list")


async def _run(args: TodoRead, ctx: ToolContext) -> ToolResult:
    todos = ctx.session.todos
    return ToolResult(text="\n".join(todo_lines(todos)) or "No todos.", summary=todo_counts(todos))


TOOL = Tool(
    name="todo_read",
    aliases=("TodoRead",),
    description="Read the todo list of this chat with the status of each item.",
    args=TodoRead,
    category=Category.READ,
    parallel=False,
    card=_card,
    run=_run,
)
