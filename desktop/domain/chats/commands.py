"""Commands about a chat as a whole: its queue, its history, its context, its files, and the library of all chats."""

from typing import ClassVar, Literal

from desktop.domain.chats.mentions import MentionKind
from desktop.domain.chats.queue_events import Limits
from desktop.domain.core.command import Command, Spoken
from desktop.domain.core.permissions import PermissionMode


class EditQueued(Spoken):
    """Change a waiting message. Blank text takes it out. Refused with "Already sent." once it was delivered."""

    type: Literal["edit_queued"] = "edit_queued"
    session_id: str
    queue_id: str
    text: str
    attachments: tuple[str, ...] = ()


class RemoveQueued(Command):
    """Take a waiting message back."""

    type: Literal["remove_queued"] = "remove_queued"
    session_id: str
    queue_id: str


class MoveQueued(Command):
    """Give a waiting message another place; `position` counts from 0."""

    type: Literal["move_queued"] = "move_queued"
    session_id: str
    queue_id: str
    position: int


class SendQueuedNow(Command):
    """Stop the current step and deliver this message; with no turn running it starts one."""

    type: Literal["send_queued_now"] = "send_queued_now"
    session_id: str
    queue_id: str


class ResumeQueue(Command):
    """Deliver what waits in a paused queue, beginning with the first message."""

    type: Literal["resume_queue"] = "resume_queue"
    session_id: str


class RetryNow(Command):
    """Try a failed model request again now, without the rest of the wait."""

    type: Literal["retry_now"] = "retry_now"
    session_id: str


class SetLimits(Command):
    """Replace the limits of this chat."""

    type: Literal["set_limits"] = "set_limits"
    session_id: str
    limits: Limits


class RaiseLimits(Command):
    """Go on after a limit with these limits for the continued turn."""

    type: Literal["raise_limits"] = "raise_limits"
    session_id: str
    limits: Limits


class ResolveUnknownCall(Command):
    """A person says what came of a call that was started before a crash and whose outcome nobody recorded.

    `run_again`: judged anew, with all checks, at the next Continue. `took_effect`: recorded as done.
    """

    type: Literal["resolve_unknown_call"] = "resolve_unknown_call"
    session_id: str
    call_id: str
    how: Literal["run_again", "took_effect"]


class ForkSession(Spoken):
    """A new chat that continues from one entry of this one ("": its newest); nothing is copied, the source stays.

    `lane_from` checkpoint: a new lane with the files as of then; head: a new lane from HEAD; none: no lane, plan only.
    `text`: sent as its first message, "" waits for the person. → SessionForkedOff.
    """

    type: Literal["fork_session"] = "fork_session"
    session_id: str
    at_event_id: str = ""
    new_session_id: str
    lane_from: Literal["checkpoint", "head", "none"] = "checkpoint"
    text: str = ""


class ContinueWith(Spoken):
    """A fork from the newest entry of a chat whose turns another agent carries out: `own`, then endpoint and model are
    asked ("": the settings' own), or the id of a guest. What was allowed for the session ends, a plan stays a plan.
    `lane_from`, `text`: as of ForkSession. → SessionForkedOff."""

    type: Literal["continue_with"] = "continue_with"
    session_id: str
    new_session_id: str
    driver: str
    endpoint_id: str = ""
    model: str = ""
    lane_from: Literal["checkpoint", "head", "none"] = "checkpoint"
    text: str = ""


class PreviewRewind(Command):
    """Tell what a rewind would take out of the conversation, and which files could be put back. → RewindPreviewed."""

    reads: ClassVar[bool] = True
    type: Literal["preview_rewind"] = "preview_rewind"
    session_id: str
    to_event_id: str


class RewindSession(Spoken):
    """Go on from an earlier entry; what came after stays in the log. A running turn is stopped first.

    `text`: sent from there as a new prompt (edit and resend), "" waits for the person.
    """

    type: Literal["rewind_session"] = "rewind_session"
    session_id: str
    to_event_id: str
    restore_files: bool = False
    text: str = ""
    attachments: tuple[str, ...] = ()


class UndoRewind(Command):
    """Bring back what a rewind left behind. `restore_files`: also the files as they were before it."""

    type: Literal["undo_rewind"] = "undo_rewind"
    session_id: str
    rewound_event_id: str
    restore_files: bool = False


class LoadCheckpoints(Command):
    """The snapshots of this chat's lane, newest first. → CheckpointsListed."""

    reads: ClassVar[bool] = True
    type: Literal["load_checkpoints"] = "load_checkpoints"
    session_id: str


class MakeCheckpoint(Command):
    """Take a snapshot now, with a name that keeps it. → CheckpointsListed."""

    type: Literal["make_checkpoint"] = "make_checkpoint"
    session_id: str
    name: str = ""


class CompareCheckpoints(Command):
    """Compare two snapshots of a lane's files; `other` "": one snapshot with the files as they are now. →
    CheckpointsCompared."""

    reads: ClassVar[bool] = True
    type: Literal["compare_checkpoints"] = "compare_checkpoints"
    session_id: str
    checkpoint_id: str
    other: str = ""


class RestoreCheckpoint(Command):
    """Put back the lane's files that differ, or only `paths`. A snapshot is taken first; refused while a turn runs."""

    type: Literal["restore_checkpoint"] = "restore_checkpoint"
    session_id: str
    checkpoint_id: str
    paths: tuple[str, ...] = ()


class RemoveFromContext(Command):
    """A message or result no longer goes to the model; its row stays, struck."""

    type: Literal["remove_from_context"] = "remove_from_context"
    session_id: str
    target_id: str


class PutBackInContext(Command):
    """The reverse of RemoveFromContext."""

    type: Literal["put_back_in_context"] = "put_back_in_context"
    session_id: str
    target_id: str


class ClearContext(Command):
    """The model starts over; the transcript stays."""

    type: Literal["clear_context"] = "clear_context"
    session_id: str


class Compact(Command):
    """Summarise earlier messages; `keep`: what must not be lost. Nothing is in force yet. → CompactionOffered."""

    type: Literal["compact"] = "compact"
    session_id: str
    keep: str = ""


class ApplyCompaction(Command):
    """Put an offered summary in force, with the person's changes."""

    type: Literal["apply_compaction"] = "apply_compaction"
    session_id: str
    staging_id: str
    summary: str


class LoadInstructions(Command):
    """The instruction files and slash commands that count for this chat. → InstructionsListed."""

    reads: ClassVar[bool] = True
    on_imported: ClassVar[bool] = True
    type: Literal["load_instructions"] = "load_instructions"
    session_id: str


class TrustCommands(Command):
    """Let the repository's own slash commands be used, for exactly this content. → InstructionsListed."""

    type: Literal["trust_commands"] = "trust_commands"
    session_id: str
    sha256: str


class AddAttachment(Command):
    """Keep a file, or the bytes of a pasted one, to be sent with a message. → AttachmentReady."""

    type: Literal["add_attachment"] = "add_attachment"
    request_id: str
    session_id: str = ""
    path: str = ""
    name: str = ""
    data: bytes = b""
    secret_accepted: bool = False


class LoadAttachment(Command):
    """The bytes of an attachment or picture, at most `max_px` a side for an image (0: as it is). → AttachmentLoaded."""

    reads: ClassVar[bool] = True
    on_imported: ClassVar[bool] = True
    type: Literal["load_attachment"] = "load_attachment"
    sha256: str
    session_id: str = ""
    max_px: int = 0


class FindMentions(Command):
    """What can be named with an `@` in a message of this chat ("": of a new one), the best first. `kind` "": of every
    kind; `query` "": what is likeliest. → MentionsFound."""

    reads: ClassVar[bool] = True
    on_imported: ClassVar[bool] = True
    type: Literal["find_mentions"] = "find_mentions"
    session_id: str = ""
    kind: MentionKind | Literal[""] = ""
    query: str = ""


class PinSession(Command):
    """Keep the chat at the top of the lists, or not."""

    on_imported: ClassVar[bool] = True
    type: Literal["pin_session"] = "pin_session"
    session_id: str
    pinned: bool = True


class MuteSession(Command):
    """Send no notification and make no sound for this chat, or do so again."""

    on_imported: ClassVar[bool] = True
    type: Literal["mute_session"] = "mute_session"
    session_id: str
    muted: bool = True


class DeleteSession(Command):
    """Remove a chat for good, some seconds later, so that UndoDelete can still come. `keep_proofs` False: and the
    proofs that only it and its lane have. → SessionDeletionScheduled."""

    on_imported: ClassVar[bool] = True
    type: Literal["delete_session"] = "delete_session"
    session_id: str
    keep_proofs: bool = True


class UndoDelete(Command):
    """Keep a chat whose removal is about to happen."""

    on_imported: ClassVar[bool] = True
    type: Literal["undo_delete"] = "undo_delete"
    session_id: str


class SearchChats(Command):
    """Full text over all chats. `request_id` names the answer; a later search voids an earlier one. → ChatsFound."""

    reads: ClassVar[bool] = True
    type: Literal["search_chats"] = "search_chats"
    request_id: str
    query: str
    page: int = 0


class FindInSession(Command):
    """Find every entry of one chat that holds the text. → FoundInSession."""

    reads: ClassVar[bool] = True
    on_imported: ClassVar[bool] = True
    type: Literal["find_in_session"] = "find_in_session"
    request_id: str
    session_id: str
    text: str
    case: bool = False
    whole_word: bool = False


class ExportSession(Command):
    """Write a chat to a new file (Markdown: a folder of pictures beside it). → SessionExported."""

    reads: ClassVar[bool] = True
    on_imported: ClassVar[bool] = True
    type: Literal["export_session"] = "export_session"
    session_id: str
    path: str
    format: Literal["jsonl", "markdown", "html"] = "markdown"
    redacted: bool = True


class ImportSession(Command):
    """Read a chat from a neutral log. → SessionImported. `broken_accepted`: also if its chain does not verify."""

    type: Literal["import_session"] = "import_session"
    path: str
    broken_accepted: bool = False


class ContinueImported(Command):
    """Go on with an imported chat, which is only read until then. Nothing that the file says of modes, rules, limits,
    models or lanes counts. `place` lane: a new lane at HEAD; none: no lane, plan only. "": the settings' own model."""

    on_imported: ClassVar[bool] = True
    type: Literal["continue_imported"] = "continue_imported"
    session_id: str
    mode: Literal[PermissionMode.PLAN, PermissionMode.EDIT] = PermissionMode.EDIT
    place: Literal["lane", "none"] = "lane"
    endpoint_id: str = ""
    model: str = ""


class RebuildIndex(Command):
    """Make the lists and the search anew from the log. → IndexRebuilt."""

    type: Literal["rebuild_index"] = "rebuild_index"
