"""Updates about a chat as a whole: its context, its snapshots, its attachments, and the library of all chats."""

from collections.abc import Iterable
from datetime import datetime
from typing import ClassVar, Literal

from desktop.domain.chats.library_events import InstructionFile
from desktop.domain.chats.mentions import MentionKind
from desktop.domain.core.base import Frozen
from desktop.domain.core.checkpoint_events import CheckpointReason
from desktop.domain.core.update import Answer, Stand, Update
from desktop.domain.core.work import ChangedFile
from desktop.records import dataclass


class ContextMeterChanged(Update):
    """How much of the model's window a chat fills, in tokens, estimated where `estimated`; `window` 0: unknown.

    `system`, `tools`, `messages`, `results`, `images` are estimates of the parts of `used`. `compacts_at`: from so many
    on earlier messages are summarised; 0: not by itself.
    """

    stands: ClassVar[Stand | None] = Stand.DETAILS
    session_id: str
    used: int
    window: int
    estimated: bool = True
    system: int = 0
    tools: int = 0
    messages: int = 0
    results: int = 0
    images: int = 0
    cost_microusd: int = 0
    cost_unknown: bool = False
    compacts_at: int = 0

    def standing(self) -> Iterable[tuple[str, Update]]:
        """The newest meter of each chat."""
        return ((self.session_id, self),)


class SpendAlarm(Update):
    """The chat spends much faster than a person would expect: a sentence with figures."""

    session_id: str
    text: str


class SessionForkedOff(Answer):
    """The fork exists; the window may open it."""

    session_id: str
    source_session_id: str


class LeavingEffect(Frozen):
    """Something in the part that leaves that files cannot undo: a write to a database, a call to the outside.
    `verbatim`: no letter of its title may differ."""

    event_id: str
    title: str
    verbatim: bool = False


class RewindPreviewed(Answer):
    """The effect that a rewind would have. `files`: what putting files back would change; `problem`: why files cannot
    be put back.

    `outside`: lane-relative paths among `files` that something other than the agent changed since.
    """

    session_id: str
    to_event_id: str
    turns: int
    messages: int
    checkpoint_id: str = ""
    files: tuple[ChangedFile, ...] = ()
    outside: tuple[str, ...] = ()
    not_undone: tuple[LeavingEffect, ...] = ()
    commits: tuple[str, ...] = ()
    problem: str = ""


class CheckpointMark(Frozen):
    """Something that is about exactly the files of a checkpoint: a run that ended as it should or not, or a proof.
    `text`: the command with its figures, or the title."""

    kind: Literal["passed", "failed", "proof"]
    text: str


class CheckpointInfo(Frozen):
    """One checkpoint in the timeline. `verbatim`: no letter of the title of its call may differ; `changed`: files that
    differ from the entry before; `marks`: what was proved of it."""

    checkpoint_id: str
    at: datetime
    reason: CheckpointReason
    name: str = ""
    call_title: str = ""
    verbatim: bool = False
    turn: int = 0
    event_id: str = ""
    session_id: str = ""
    changed: int = 0
    partial: str = ""
    marks: tuple[CheckpointMark, ...] = ()


class CheckpointsListed(Update):
    """The snapshots of a chat's lane, newest first. `problem`: why there are none."""

    session_id: str
    checkpoints: tuple[CheckpointInfo, ...]
    problem: str = ""


class CheckpointsCompared(Update):
    """The files that differ between `checkpoint_id` and `other` ("" is the lane now)."""

    session_id: str
    checkpoint_id: str
    other: str
    files: tuple[ChangedFile, ...]
    problem: str = ""


class CompactionOffered(Answer):
    """A summary that waits for the person's word. Tokens before and after, estimated."""

    session_id: str
    staging_id: str
    summary: str
    tokens_before: int
    tokens_after: int
    keeps: str = ""


class SlashCommand(Frozen):
    """A command from a Markdown file. `usable` False: the repository has it and nobody trusted its content yet, or it
    is a skill that nobody accepted; the `body` of a skill is read when it is called."""

    name: str
    description: str
    path: str
    body: str
    source: Literal["user", "repository", "skill"]
    usable: bool = True


class InstructionsListed(Update):
    """Instruction files, nearest last, and slash commands. `untrusted_sha256`: the content to trust, "" if none.
    `read_by_agent`: an external agent reads the files itself, and is not told them."""

    session_id: str
    files: tuple[InstructionFile, ...]
    commands: tuple[SlashCommand, ...] = ()
    untrusted_sha256: str = ""
    problems: tuple[str, ...] = ()
    read_by_agent: bool = False


class AttachmentReady(Update):
    """An attachment is kept, or why it is not (`problem`, a sentence). `looks_secret`: asks to attach it anyway."""

    request_id: str
    logical_name: str = ""
    sha256: str = ""
    mime_type: str = ""
    size_bytes: int = 0
    width_px: int = 0
    height_px: int = 0
    problem: str = ""
    looks_secret: bool = False
    notice: str = ""


class AttachmentLoaded(Update):
    """The bytes of an attachment or picture; `data` is empty when they are no longer stored."""

    sha256: str
    mime_type: str
    data: bytes


class SessionDeletionScheduled(Update):
    """The chat is hidden and goes at `at`. `detail`: what goes with it."""

    session_id: str
    title: str
    at: datetime
    detail: str = ""


class SessionDeleted(Update):
    """The chat is gone for good."""

    session_id: str


class SearchHit(Frozen):
    """One entry of a chat that matches a search; `seq`: its place in the chat. `snippet`: at most 160 characters,
    plain."""

    session_id: str
    event_id: str
    seq: int
    title: str
    kind: str
    snippet: str
    at: datetime
    mark: Literal["", "rewound", "removed"] = ""


class ChatsFound(Update):
    """One page of the chats that a search found. `more`: there are further pages; `indexing`: newer entries are not
    searchable yet."""

    request_id: str
    query: str
    page: int
    hits: tuple[SearchHit, ...]
    more: bool = False
    indexing: bool = False
    problem: str = ""


@dataclass(frozen=True)
class MentionRow:
    """Something that can be named. `text`: what is written for it; `title`, `detail`: what people see, as it is; the
    detail of a proof is its time in ISO form."""

    kind: MentionKind
    text: str
    title: str
    detail: str = ""


class MentionsFound(Answer):
    """What can be named, the best first. `more`: files are being read, so that there is more to be had soon."""

    rows: tuple[MentionRow, ...] = ()
    more: bool = False


class FoundInSession(Update):
    """The entries of one chat that hold the text, oldest first, and how often each of them does."""

    request_id: str
    session_id: str
    event_ids: tuple[str, ...]
    counts: tuple[int, ...]


class SessionExported(Answer):
    """The file was written. `bytes`: its size."""

    session_id: str
    path: str
    bytes: int = 0


class SessionImported(Answer):
    """A chat came in from a file. `report`: sentences about what was found."""

    session_id: str
    report: tuple[str, ...] = ()


class IndexRebuilt(Update):
    """The lists are made anew; `chats` were found. `done` False: still at work, `percent` of it is done."""

    chats: int
    percent: int = 100
    done: bool = True


class StoreDamaged(Update):
    """The store cannot be written, or not all of it can be read: sentences. The window is for reading only."""

    stands: ClassVar[Stand | None] = Stand.NOTICES
    problems: tuple[str, ...]
