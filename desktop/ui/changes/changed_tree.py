"""The changed files of a scope as a tree of folders or a flat list, filtered, with what is known of each."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import field

from PySide6.QtCore import QObject

from desktop.domain.core.work import ChangedFile
from desktop.domain.display.text import display_text
from desktop.language import number, tr
from desktop.records import dataclass
from desktop.ui.changes.model import file_sentence, status_icon, status_words
from desktop.ui.models.keyed_rows import KeyedRows
from desktop.ui.text.format import changed_lines, count

_TICKS = (tr("not to be committed"), tr("to be committed in part"), tr("to be committed"))


@dataclass(frozen=True)
class TreeRow:
    """A folder, or a file of it. `depth`: how far it is indented; `path`: of the folder or file. `tick`: how much of it
    is to be committed (0 nothing, 1 a part, 2 all), −1 where nothing can be."""

    name: str
    path: str
    depth: int
    file: ChangedFile | None = None
    files: int = 1
    closed: bool = False
    viewed: bool = False
    comments: int = 0
    tick: int = -1

    @property
    def key(self) -> str:
        """`file:` or `folder:` and the path."""
        return f"{'file' if self.file is not None else 'folder'}:{self.path}"

    @property
    def icon(self) -> tuple[str, str]:
        """Its icon and colour."""
        return status_icon(self.file) if self.file is not None else ("folder", "muted")

    @property
    def words(self) -> str:
        """What happened to the file, in words; "" for a folder."""
        return status_words(self.file) if self.file is not None else ""

    @property
    def figures(self) -> str:
        """Lines added and removed; how many files a closed folder holds."""
        if self.file is None:
            return count(self.files, "file") if self.closed else ""
        return changed_lines(self.file.added, self.file.removed)

    @property
    def sentence(self) -> str:
        """What a screen reader says."""
        if self.file is None:
            state = tr("closed", context="of a fold") if self.closed else tr("open", context="of a fold")
            parts = [tr("folder {path}", path=display_text(self.path)), count(self.files, "file"), state]
        else:
            parts = [file_sentence(self.file)]
            parts += [count(self.comments, "comment")] if self.comments else []
            parts += [tr("viewed")] if self.viewed else []
        parts += [_TICKS[self.tick]] if self.tick >= 0 else []
        return ", ".join(parts)


@dataclass
class _Folder:
    path: str = ""
    folders: dict[str, "_Folder"] = field(default_factory=dict)
    files: list[ChangedFile] = field(default_factory=list)

    def all_files(self) -> Iterator[ChangedFile]:
        yield from self.files
        for folder in self.folders.values():
            yield from folder.all_files()

    @property
    def size(self) -> int:
        return len(self.files) + sum(folder.size for folder in self.folders.values())


class ChangedTree(KeyedRows[TreeRow]):
    """Rows from top to bottom; files in conflict come first. `ticks`: how much of a file is ticked, None for none."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.files: tuple[ChangedFile, ...] = ()
        self.flat = False
        self.filter = ""
        self.ticks: Callable[[ChangedFile], int] | None = None
        self._closed: set[str] = set()
        self._viewed: frozenset[str] = frozenset()
        self._comments: dict[str, int] = {}

    def show(self, files: Sequence[ChangedFile]) -> None:
        """List these files."""
        self.files = tuple(files)
        self.refresh()

    def know(self, viewed: Collection[str], comments: dict[str, int]) -> None:
        """Which files were looked at, and how many comments each has."""
        self._viewed, self._comments = frozenset(viewed), comments
        self.refresh()

    def is_viewed(self, path: str) -> bool:
        """Whether a file was looked at."""
        return path in self._viewed

    def set_closed(self, path: str, closed: bool) -> None:
        """Close or open a folder."""
        (self._closed.add if closed else self._closed.discard)(path)
        self.refresh()

    def refresh(self) -> None:
        """Make the rows anew; what did not change stays as it is."""
        self.set_rows(self._listed(self._closed))

    def count_words(self, more: int) -> str:
        """How many files there are, and how many of them are listed where it is not all. `more`: how many are not
        loaded."""
        listed, files = len(self._passing()), len(self.files) + more
        if not self.files:
            return ""
        words = count(files, "file")
        return tr("{number} of {files}", number=number(listed), files=words) if listed < files else words

    def paths(self) -> list[str]:
        """The listed files in order, also those in closed folders."""
        return [row.path for row in self._listed(closed=frozenset()) if row.file is not None]

    def index_of(self, path: str) -> int:
        """The row of a file, −1 when it is not listed."""
        return next((at for at, row in enumerate(self.rows) if row.path == path and row.file is not None), -1)

    def text_of(self, row: TreeRow, column: int) -> str:
        """Its name."""
        return row.name

    def sentence_of(self, row: TreeRow) -> str:
        """The row, read out."""
        return row.sentence

    def _passing(self) -> list[ChangedFile]:
        words = self.filter.lower().split()
        return [file for file in self.files if all(word in file.path.lower() for word in words)]

    def _listed(self, closed: Collection[str]) -> list[TreeRow]:
        shown = self._passing()
        other = [file for file in shown if file.status != "conflicted"]
        rows = [self._file(file, 0, whole=True) for file in shown if file.status == "conflicted"]
        if self.flat:
            return rows + [self._file(file, 0, whole=True) for file in other]
        return rows + list(self._tree_rows(_tree(other), 0, () if self.filter else closed))

    def _tree_rows(self, folder: _Folder, depth: int, closed: Collection[str]) -> Iterator[TreeRow]:
        for name, inner in sorted(folder.folders.items()):
            joined = name
            while not inner.files and len(inner.folders) == 1:
                ((more, inner),) = inner.folders.items()
                joined = f"{joined}/{more}"
            shut = inner.path in closed
            yield TreeRow(
                display_text(joined), inner.path, depth, files=inner.size, closed=shut, tick=self._tick(inner)
            )
            if not shut:
                yield from self._tree_rows(inner, depth + 1, closed)
        for file in sorted(folder.files, key=lambda one: one.path):
            yield self._file(file, depth)

    def _tick(self, folder: _Folder) -> int:
        """How much of a folder is ticked."""
        if self.ticks is None:
            return -1
        states = {self.ticks(file) for file in folder.all_files()} - {-1}
        return -1 if not states else states.pop() if len(states) == 1 else 1

    def _file(self, file: ChangedFile, depth: int, *, whole: bool = False) -> TreeRow:
        name = file.path if whole else file.path.rpartition("/")[2]
        tick = self.ticks(file) if self.ticks is not None else -1
        comments = self._comments.get(file.path, 0)
        return TreeRow(display_text(name), file.path, depth, file, 1, False, file.path in self._viewed, comments, tick)


def _tree(files: Sequence[ChangedFile]) -> _Folder:
    root = _Folder()
    for file in files:
        folder, path = root, ""
        for name in file.path.split("/")[:-1]:
            path = f"{path}/{name}" if path else name
            folder = folder.folders.setdefault(name, _Folder(path))
        folder.files.append(file)
    return root
