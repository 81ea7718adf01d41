"""Changed files as lists show them."""

from collections.abc import Mapping

from desktop.domain.core.work import ChangedFile
from desktop.domain.display.text import display_text
from desktop.language import tr, trn
from desktop.records import dataclass
from desktop.ui.models.keyed_rows import KeyedRows
from desktop.ui.text.format import changed_lines

_ICONS: Mapping[str, tuple[str, str]] = {
    "added": ("file-plus", "success"),
    "untracked": ("file-plus", "success"),
    "modified": ("file-diff", "warning"),
    "deleted": ("file-minus", "danger"),
    "renamed": ("file-pen", "accent"),
    "copied": ("file-plus", "accent"),
    "type_changed": ("file-pen", "warning"),
    "conflicted": ("triangle-alert", "danger"),
}
STATUS_WORDS: Mapping[str, str] = {
    "added": tr("added"),
    "untracked": tr("added"),
    "modified": tr("modified"),
    "deleted": tr("deleted"),
    "renamed": tr("renamed"),
    "copied": tr("copied"),
    "type_changed": tr("type changed"),
    "conflicted": tr("in conflict"),
}


def status_icon(file: ChangedFile) -> tuple[str, str]:
    """The icon of what happened to a file, and its colour."""
    return _ICONS[file.status]


def status_words(file: ChangedFile) -> str:
    """What happened to a file: "modified", "renamed from x", "added, binary", "modified, mode 100755"."""
    words = STATUS_WORDS[file.status]
    if file.status in ("renamed", "copied") and file.old_path:
        words = tr("{changed} from {path}", changed=words, path=display_text(file.old_path))
    extras = (
        (tr("mode {mode}", mode=display_text(file.mode_change)), bool(file.mode_change)),
        (tr("binary"), file.binary),
        (tr("submodule"), file.submodule),
        (tr("generated"), file.generated),
        (tr("changed after the turn"), file.after_turn),
        (tr("made by setup"), file.by_setup),
    )
    return ", ".join([words, *(word for word, there in extras if there)])


def file_sentence(file: ChangedFile) -> str:
    """What a screen reader says of a file."""
    parts = [display_text(file.path), status_words(file)]
    parts += [trn(file.added, "{n} added", "{n} added")] if file.added else []
    parts += [trn(file.removed, "{n} removed", "{n} removed")] if file.removed else []
    return ", ".join(parts)


@dataclass(frozen=True)
class FileRow:
    """One changed file as it is listed in two lines."""

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
        return f"{status_words(self.file)}  {changed_lines(self.file.added, self.file.removed)}".rstrip()

    @property
    def icon(self) -> tuple[str, str]:
        """The icon of its status and its colour."""
        return status_icon(self.file)


class ChangesModel(KeyedRows[FileRow]):
    """The files that a comparison names."""

    def text_of(self, row: FileRow, column: int) -> str:
        """Its path."""
        return row.title

    def sentence_of(self, row: FileRow) -> str:
        """The row, read out."""
        return file_sentence(row.file)
