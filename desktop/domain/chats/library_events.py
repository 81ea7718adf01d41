"""Events about what a chat consists of beside its messages: its prompt, attachments, instruction files, imports, erased
content."""

from typing import Literal

from desktop.domain.core.base import Frozen
from desktop.domain.core.content import BlobRef
from desktop.domain.core.event_base import By, EventBase


class PromptChanged(EventBase):
    """System prompt and tool schemas from here on, as blobs, so that each request can be rebuilt from the log."""

    type: Literal["prompt_changed"] = "prompt_changed"
    system: BlobRef
    tools: BlobRef
    tool_names: tuple[str, ...]


class InstructionFile(Frozen):
    """One file of standing instructions as it was read. `bytes`: its whole size; `cut`: only its beginning is used;
    `used`: the text that the model gets. `changed_by`: which chat's agent left it with this content, in words, "" for
    none that is known."""

    path: str
    sha256: str
    bytes: int
    cut: bool = False
    used: BlobRef | None = None
    changed_by: str = ""


class InstructionFilesLoaded(EventBase):
    """The prompt holds these instruction files from here on, the nearest to the files of the task last."""

    type: Literal["instruction_files_loaded"] = "instruction_files_loaded"
    files: tuple[InstructionFile, ...] = ()


class ChangedInstruction(Frozen):
    """A file of standing instructions as an agent left it. `path`: lane-relative; `sha256`: of its content."""

    path: str
    sha256: str


class InstructionFilesChanged(EventBase):
    """An agent of this chat made or changed these files, which later chats read as instructions."""

    type: Literal["instruction_files_changed"] = "instruction_files_changed"
    files: tuple[ChangedInstruction, ...] = ()
    call_id: str = ""


class AttachmentAdded(EventBase):
    """A file was attached; its bytes are kept under their digest. Sizes in bytes and pixels, 0 for what is no image."""

    type: Literal["attachment_added"] = "attachment_added"
    logical_name: str
    stored_file_name: str
    sha256: str
    mime_type: str
    size_bytes: int
    width_px: int = 0
    height_px: int = 0


class ContentErased(EventBase):
    """A stored content was removed for good; the record of its digest stays."""

    type: Literal["content_erased"] = "content_erased"
    sha256: str
    what: str = ""
    by: By = "person"


class LaneDetached(EventBase):
    """The session has no lane any more."""

    type: Literal["lane_detached"] = "lane_detached"
    lane_id: str
    reason: str = ""


class Imported(EventBase):
    """The entries before this one came from a file. `project_id`, `project_path`: where the chat is listed from here
    on."""

    type: Literal["imported"] = "imported"
    source_name: str = ""
    source_sha256: str = ""
    events: int = 0
    unknown: int = 0
    restored_inputs: int = 0
    unrecoverable_calls: tuple[str, ...] = ()
    chain: Literal["verified", "absent", "broken"] = "absent"
    source_head_hash: str = ""
    project_id: str = ""
    project_path: str = ""


class SessionFlagChanged(EventBase):
    """The chat was archived, pinned or muted, or the reverse."""

    type: Literal["session_flag_changed"] = "session_flag_changed"
    flag: Literal["archived", "pinned", "muted"]
    value: bool
