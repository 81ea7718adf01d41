"""What the model is reminded of about its todo list: at the start of a turn and after a pass (sessions-SL14,
sessions-SD3)."""

from collections.abc import Iterable
from typing import Any

from desktop.agent.core.notes import note
from desktop.agent.core.session import Session
from desktop.agent.turns.turn import Turn
from desktop.domain.core.permissions import Category, PermissionMode
from desktop.domain.core.work import Todo
from desktop.domain.core.work_events import TodosChanged
from desktop.domain.events import UserMessage
from desktop.domain.history.picked import picked
from desktop.tools.todo_text import todo_lines
from desktop.tools.tool import Tool

REMINDER = "todos"
_WRITES = frozenset({Category.WRITE, Category.BASH, Category.EXTERNAL})


def writable(session: Session, offered: Iterable[Tool[Any]]) -> bool:
    """Whether this run may change anything at all (sessions-SL24)."""
    state = session.state
    if state.mode is PermissionMode.PLAN or state.archived or session.files is None:
        return False
    return any(tool.category in _WRITES for tool in offered)


def follow_up(session: Session, turn: Turn, offered: Iterable[Tool[Any]]) -> UserMessage | None:
    """The reminder after a pass that ended by itself, None where none is due. At most one in a turn.

    Calls about the chat itself, such as its summary or a report of completion, never keep it away.
    """
    todos = open_todos(session)
    waits = bool(session.state.queue) and not session.state.queue_paused
    if turn.followed_up or turn.status is not None or turn.reason or turn.stop_after_step or waits:
        return None
    if not todos or not turn.has_text or session.state.open_inputs or not writable(session, offered):
        return None
    return _reminder(
        f"Your todo list still has open items:\n{_lines(todos)}\n"
        "Go on with them. If they are done, or no longer needed, update the list and say so.",
        turn.turn_id,
    )


def start_reminder(session: Session, offered: Iterable[Tool[Any]]) -> UserMessage | None:
    """The reminder before a person's message, None where the model knows its list, or has nothing open."""
    todos = open_todos(session)
    if not todos or not writable(session, offered):
        return None
    last = session.state.last_turn
    if last is not None and last.status == "completed" and _in_context(session):
        return None
    return _reminder(
        f"Your todo list has open items from before:\n{_lines(todos)}\n"
        "Go on with them if they belong to this request; otherwise replace the list."
    )


def open_todos(session: Session) -> list[Todo]:
    """The items that are not completed."""
    return [todo for todo in session.state.todos if todo.status != "completed"]


def _in_context(session: Session) -> bool:
    """Whether the model's context holds the call that wrote the list as it is now."""
    written = next((event for _, event in picked(reversed(session.log), TodosChanged)), None)
    if written is None or written.by != "tool":
        return False
    messages = session.history.messages()
    return any(
        part.get("type") == "tool_use" and part.get("id") == written.call_id
        for message in messages
        for part in message["content"]
    )


def _lines(todos: list[Todo]) -> str:
    return "\n".join(todo_lines(tuple(todos)))


def _reminder(text: str, turn_id: str = "") -> UserMessage:
    return note(REMINDER, text, turn_id).model_copy(update={"origin": "reminder"})
