"""Events about memory: what was written, and what was looked for and given to a model."""

from typing import Literal

from desktop.domain.core.event_base import EventBase
from desktop.domain.memory.values import Category, GuardClass, MemoryUse, Scope, Status

MemoryChange = Literal[
    "added", "merged", "pinned", "unpinned", "edited", "accepted", "confirmed", "archived", "restored", "deleted",
    "imported",
]  # fmt: skip


class MemoryWritten(EventBase):
    """An entry of the memory is new, or another version of it is. `content`: what it says now; all versions are in the
    memory's own history."""

    type: Literal["memory_written"] = "memory_written"
    memory_id: str
    version: int = 1
    change: MemoryChange = "added"
    by: Literal["person", "agent", "app"] = "agent"
    scope: Scope = "project"
    category: Category = "fact"
    status: Status = "candidate"
    tier: int = 3
    content: str = ""
    call_id: str = ""


class MemorySearched(EventBase):
    """The memory was searched. `automatic`: by the app before a request, for a turn of the class `guard`; else by a
    call. `satisfies`: the agent may change things after it: always after a call, else where the search ran. `ran`
    False: it could not be carried out, `problem` says why; else that says why what was found is in the order of its
    words though a model was named for it. `way`: how the words were looked up. `used`: what the model was given, in
    order."""

    type: Literal["memory_searched"] = "memory_searched"
    call_id: str = ""
    automatic: bool = False
    guard: GuardClass = "none"
    satisfies: bool = True
    ran: bool = True
    problem: str = ""
    words: tuple[str, ...] = ()
    way: str = ""
    found: int = 0
    used: tuple[MemoryUse, ...] = ()
    duration_ms: int = 0
