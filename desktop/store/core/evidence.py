"""EvidenceRows and InstructionRows: what is found in the log of all chats without reading whole chats."""

from collections.abc import Iterable
from datetime import datetime
from typing import Protocol

from desktop.domain.core.base import Frozen
from desktop.domain.events import Envelope


class EvidenceRows(Protocol):
    """Reports and evidence in the log of a session, however long it is. Reads only."""

    def on_path(self, session_id: str) -> list[Envelope]:
        """The reports, runs and checks that this session recorded itself, in order: what stands before it came from a
        file is left out, and so are reports that the conversation went back from. Runs count wherever it went."""

    def reporting(self) -> frozenset[str]:
        """The ids of all sessions in which something was reported."""

    def in_lane(self, lane_id: str) -> list[str]:
        """The ids of the chats that work in a lane, in no order."""


class InstructionOrigin(Frozen):
    """The last change by an agent that gave this content. `title`: of its chat, "" where that has none."""

    session_id: str
    title: str
    at: datetime


class InstructionRows(Protocol):
    """The chats whose agents left instruction files, by the content. Reads only. What a deleted chat changed is not
    known any more."""

    def origins(self, contents: Iterable[str], *, but: str) -> dict[str, InstructionOrigin]:
        """For each of these contents (sha256) that an agent left in a file, which chat it was, `but` that one."""
