"""SessionRow: what a list shows of a chat without reading its log."""

from datetime import datetime

from desktop.domain.core.base import Frozen
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import SessionKind


class SessionRow(Frozen):
    """The row that a list shows of a session, for which its log is not read. All fields follow the order of writing,
    not the path.

    `head_seq`, `head_event_id`: the newest event. `source_session_id`: "" unless it is a fork. `unfinished_turn_id`: a
    turn began and neither ended nor was resumed. `failed`: why the last turn failed, "" if it did not; `limited`: it
    stopped at a limit. `interrupted`: the last turn was cut off with the app and not continued. `open_children`: how
    many it began without an end on record.
    """

    session_id: str
    project_id: str = ""
    kind: SessionKind = "interactive"
    title: str = ""
    mode: PermissionMode = PermissionMode.EDIT
    endpoint_id: str = ""
    model: str = ""
    lane_id: str = ""
    branch: str = ""
    primary: bool = False
    archived: bool = False
    pinned: bool = False
    muted: bool = False
    source_session_id: str = ""
    parent_session_id: str = ""
    turns: int = 0
    unfinished_turn_id: str = ""
    failed: str = ""
    limited: bool = False
    interrupted: bool = False
    open_children: int = 0
    head_seq: int = 0
    head_event_id: str = ""
    created_at: datetime
    last_activity_at: datetime
