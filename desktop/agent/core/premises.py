"""Premises: what there is before the first theme is built."""

from collections.abc import Callable
from datetime import datetime

from desktop.agent.core.ground import Telling
from desktop.config.folders import Folders
from desktop.domain.core.work import Project
from desktop.domain.events import SessionKind
from desktop.records import dataclass
from desktop.store.core.store import Store


@dataclass(frozen=True)
class Premises:
    """Only `build.py` of a theme, what it makes at the first need, and the assembly take it, and hand on what each part
    needs. `project`: the repository that is open. `kind` of the chats that begin here."""

    folders: Folders
    store: Store
    clock: Callable[[], datetime]
    telling: Telling
    project: Callable[[], Project | None]
    kind: SessionKind
