"""The files of the shown chat's lane that differ from its base."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from PySide6.QtCore import QObject, Qt

from desktop.domain.display import display_text
from desktop.domain.updates import ChangesLoaded, Update
from desktop.domain.work import ChangedFile
from desktop.ui.format import changed_lines
from desktop.ui.models.keyed_rows import KEY_ROLE, ROW_ROLE, Index, KeyedRows

_ROLES = Qt.ItemDataRole
_ICONS = {
    "added": ("file-plus", "success"),
    "untracked": ("file-plus", "success"),
    "modified": ("file-diff", "warning"),
    "deleted": ("file-minus", "danger"),
    "renamed": ("file-pen", "accent"),
}


@dataclass(frozen=True)
class FileRow:
    """One changed file as it is listed."""

    file: ChangedFile

    @property
    def key(self) -> str:
        """`file:` and the path."""
        return f"file:{self.file.path}"

    @property
    def title(self) -> str:
        """The path as it may be shown."""
        return display_text(self.file.path)

    @property
    def detail(self) -> str:
        """ "modified  +6 −2", "renamed from x", "added, binary"."""
        words: str = "added" if self.file.status == "untracked" else self.file.status
        if self.file.status == "renamed" and self.file.old_path:
            words = f"renamed from {display_text(self.file.old_path)}"
        if self.file.binary:
            words += ", binary"
        return f"{words}  {changed_lines(self.file.added, self.file.removed)}".rstrip()

    @property
    def icon(self) -> tuple[str, str]:
        """The icon of its status and its colour."""
        return _ICONS[self.file.status]

    @property
    def sentence(self) -> str:
        """What a screen reader says."""
        parts = [self.title, self.detail.split("  ", maxsplit=1)[0]]
        for number, word in ((self.file.added, "added"), (self.file.removed, "removed")):
            if number:
                parts.append(f"{number} {word}")
        return ", ".join(parts)


class ChangesModel(KeyedRows[FileRow]):
    """Filled by ChangesLoaded. A failed refresh keeps the rows and sets `problem`."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.session_id = ""
        self.loaded_at: datetime | None = None
        self.problem = ""

    def show_session(self, session_id: str) -> None:
        """Forget the former chat's files."""
        if session_id != self.session_id:
            self.session_id = session_id
            self.loaded_at, self.problem = None, ""
            self.set_rows(())

    def apply(self, updates: Sequence[Update]) -> bool:
        """Take what concerns the shown chat; True if something was loaded, or failed to."""
        taken = False
        for update in updates:
            if isinstance(update, ChangesLoaded) and update.session_id == self.session_id:
                taken = True
                self.problem = update.problem
                if not update.problem:
                    self.loaded_at = update.at
                    self.set_rows([FileRow(file) for file in update.files])
        return taken

    @property
    def totals(self) -> tuple[int, int, int]:
        """Files, lines added, lines removed."""
        files = [row.file for row in self.rows]
        return len(files), sum(file.added for file in files), sum(file.removed for file in files)

    def data(self, index: Index, role: int = _ROLES.DisplayRole) -> object:
        """Path, tooltip, key, the row itself, and a sentence for assistive technology."""
        if not index.isValid():
            return None
        row = self.rows[index.row()]
        values: dict[int, object] = {
            _ROLES.DisplayRole: row.title,
            _ROLES.AccessibleTextRole: row.sentence,
            KEY_ROLE: row.key,
            ROW_ROLE: row,
        }
        return values.get(role)
