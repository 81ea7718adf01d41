"""What a guest tells beside its calls, read into values: texts and todos."""

from typing import Literal

from pydantic import JsonValue

from desktop.domain.core.work import Todo

MOST_TODOS, TODO_CHARS = 100, 300
_STATUS: dict[str, Literal["in_progress", "completed"]] = {"in_progress": "in_progress", "completed": "completed"}


def text_in(content: JsonValue) -> str:
    """The text of a piece of content, "" for anything else."""
    found = content.get("text") if isinstance(content, dict) and content.get("type") == "text" else None
    return found if isinstance(found, str) else ""


def todos_in(entries: JsonValue) -> tuple[Todo, ...]:
    """The todos of a plan."""
    todos: list[Todo] = []
    for number, one in enumerate(entries[:MOST_TODOS] if isinstance(entries, list) else (), 1):
        content = one.get("content") if isinstance(one, dict) else None
        status = one.get("status") if isinstance(one, dict) else None
        if isinstance(content, str) and content.strip():
            known = _STATUS.get(status) if isinstance(status, str) else None
            todos.append(Todo(id=str(number), content=content[:TODO_CHARS], status=known or "pending"))
    return tuple(todos)
