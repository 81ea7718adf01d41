"""Events of what an agent sets itself to do."""

from typing import Literal

from desktop.domain.core.event_base import EventBase
from desktop.domain.core.work import Todo


class TodosChanged(EventBase):
    """The todo list from here on."""

    type: Literal["todos_changed"] = "todos_changed"
    todos: tuple[Todo, ...]
    by: Literal["tool", "person"] = "tool"
    call_id: str = ""
