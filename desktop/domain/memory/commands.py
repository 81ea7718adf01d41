"""Commands about the memory: a person looks at what is remembered, and changes it."""

from typing import ClassVar, Literal

from desktop.domain.core.command import Command
from desktop.domain.memory.values import AgentCategory, Category, Importance

MemoryList = Literal["all", "review", "stale", "archived"]


class SearchMemory(Command):
    """Show entries of the open repository and of the person. `text` "": all of the list. `session_id`: in whose lane
    files are looked at, "" for none. → MemoryFound."""

    reads: ClassVar[bool] = True
    type: Literal["search_memory"] = "search_memory"
    list: MemoryList = "all"
    text: str = ""
    category: Category | Literal[""] = ""
    session_id: str = ""


class ShowGiven(Command):
    """Show what of the memory the model was given in a turn, "" for the last one. → MemoryGiven."""

    reads: ClassVar[bool] = True
    on_imported: ClassVar[bool] = True
    type: Literal["show_given"] = "show_given"
    session_id: str
    turn_id: str = ""


class SaveMemory(Command):
    """Remember what a person wrote. `personal`: for every project. → MemorySaved."""

    type: Literal["save_memory"] = "save_memory"
    content: str
    category: AgentCategory = "fact"
    importance: Importance = "medium"
    personal: bool = False


class EditMemory(Command):
    """Change an entry whose `version` was on screen. → MemorySaved."""

    type: Literal["edit_memory"] = "edit_memory"
    memory_id: str
    version: int
    content: str
    category: AgentCategory = "fact"
    importance: Importance = "medium"


class PinMemory(Command):
    """Pin an entry, or no more. → MemoryChanged."""

    type: Literal["pin_memory"] = "pin_memory"
    memory_id: str
    pinned: bool = True


class ArchiveMemory(Command):
    """Put an entry away, or take it back. → MemoryChanged."""

    type: Literal["archive_memory"] = "archive_memory"
    memory_id: str
    archived: bool = True


class DeleteMemory(Command):
    """Delete an entry; its versions are kept for 30 days. → MemoryChanged."""

    type: Literal["delete_memory"] = "delete_memory"
    memory_id: str


class RestoreMemory(Command):
    """Take back the last change of an entry, or its deletion. → MemoryChanged."""

    type: Literal["restore_memory"] = "restore_memory"
    memory_id: str


class AcceptMemory(Command):
    """Let an entry that waits count, with the person as its source; or let it say what was proposed. `version` was on
    screen. → MemoryChanged."""

    type: Literal["accept_memory"] = "accept_memory"
    memory_id: str
    version: int


class ConfirmMemory(Command):
    """An entry is still true for its files as they are in the chat's lane. → MemoryChanged."""

    type: Literal["confirm_memory"] = "confirm_memory"
    memory_id: str
    session_id: str


class ExportMemory(Command):
    """Write the entries of the open repository and of the person as Markdown into a folder, where no file may be
    replaced. → MemoryExported."""

    type: Literal["export_memory"] = "export_memory"
    folder: str


class PreviewImport(Command):
    """Read a Markdown file, or those of a folder, and show what could be kept of it. → ImportPreviewed."""

    type: Literal["preview_import"] = "preview_import"
    path: str


class ImportMemory(Command):
    """Keep what a person ticked, by its place in the preview, of the files whose hash was shown. → MemoryImported."""

    type: Literal["import_memory"] = "import_memory"
    path: str
    sha256: str
    ticked: tuple[int, ...] = ()
