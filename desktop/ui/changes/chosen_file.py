"""ChosenFile: the file whose diff is shown: asks for its diff, for more of it, and shows it in the pane."""

from collections.abc import Callable

from PySide6.QtCore import QObject

from desktop.domain.changes.updates import DiffLoaded
from desktop.domain.changes.values import FileDiff
from desktop.domain.core.work import ChangedFile
from desktop.domain.display.text import display_text
from desktop.language import said, tr
from desktop.ui.changes.diff.canvas import DiffShape
from desktop.ui.changes.diff.review_pane import ReviewPane
from desktop.ui.changes.loader import CONTEXT, MORE_CONTEXT, WHOLE, ChangesLoader
from desktop.ui.changes.review_notes import ReviewNotes, stands_in


class ChosenFile(QObject):
    """`reference`: the diff as it was asked for first, of which picks name hunks and lines; `shown`: the one on screen,
    which may have more lines around each change. `offers`: whether lines can be ticked, and reverted."""

    def __init__(
        self, loader: ChangesLoader, pane: ReviewPane, notes: ReviewNotes, offers: Callable[[], tuple[bool, bool]]
    ) -> None:
        super().__init__(pane)
        self._loader, self._pane, self._notes, self._offers = loader, pane, notes, offers
        self.file: ChangedFile | None = None
        self.reference: FileDiff | None = None
        self.shown: FileDiff | None = None
        self._context = CONTEXT
        self._anyway: set[str] = set()
        loader.loaded.connect(self._on_diff)
        pane.anyway_asked.connect(self._show_anyway)
        pane.again_asked.connect(self.load_again)
        pane.cancelled.connect(self._cancel)
        pane.view.context_asked.connect(self.show_more)

    @property
    def path(self) -> str:
        """Its path, "" for none."""
        return self.file.path if self.file is not None else ""

    @property
    def named(self) -> FileDiff | None:
        """The diff by which lines on screen are named for a commit or a revert; None while what is on screen and the
        file as it was listed are not the same."""
        if self.reference is None or self.shown is None or not _same(self.reference, self.shown):
            return None
        return self.reference

    def choose(self, file: ChangedFile | None) -> None:
        """Show another file; None for none. A comment that is being written becomes a draft of the former one."""
        self._pane.view.leave_writing()
        self.file, self.reference, self.shown = file, None, None
        self._context = CONTEXT
        self._loader.drop_diff()
        self._pane.show_file(file)
        if file is not None:
            self._load(CONTEXT)

    def follow(self, file: ChangedFile) -> None:
        """The file was listed again: load its diff unless it is the one that is shown."""
        former, self.file = self.reference, file
        same = former is not None and bool(file.sha256 or file.base_sha256) and _same(former, file)
        if not same:
            self.reference = None
            self._load(CONTEXT)
        else:
            self.show()

    def show_more(self, what: str) -> None:
        """Show more lines around each change: "more", or the "whole" file."""
        whole = what == "whole" or self._context == WHOLE
        self._context = WHOLE if whole else self._context + MORE_CONTEXT
        if self.file is not None:
            self._load(self._context)

    def load_again(self) -> None:
        """Ask for the diff anew."""
        if self.file is not None:
            self.reference = self.shown = None
            self._pane.say("")
            self._load(CONTEXT)

    def show(self) -> None:
        """Show the diff that is here, with its comments."""
        if self.shown is None or self.file is None:
            return
        can_tick, can_revert = self._offers()
        ticks = can_tick and self.file.status != "conflicted"
        shape = DiffShape(context=self._context, can_tick=ticks, can_revert=can_revert)
        comments = self._notes.of_file(self.file.path)
        scope = self._loader.scope
        self._pane.view.strays = frozenset(one.comment_id for one in comments if not stands_in(one, scope))
        self._pane.show_diff(self.shown, comments, shape)

    def say_failed(self, text: str) -> None:
        """The diff could not be read."""
        self._pane.say(
            tr("Could not read the diff: {problem}", problem=display_text(said(text), multiline=True)), "again"
        )

    def say_waiting(self, words: str, *, still: bool) -> None:
        """It takes long; a diff that is there stays until it takes very long."""
        if self.shown is None or still:
            self._pane.say(words, "cancel" if still else "")

    def _load(self, context: int) -> None:
        if self.file is not None:
            self._loader.load_diff(self.file, context=context, anyway=self.file.path in self._anyway)

    def _on_diff(self, loaded: DiffLoaded) -> None:
        if self.file is None or loaded.diff.path != self.file.path:
            return
        if loaded.problem:
            self.say_failed(loaded.problem)
            return
        if self.reference is None:
            self.reference = loaded.diff
            if self._context != CONTEXT:
                self._load(self._context)
                return
        elif not _same(self.reference, loaded.diff):
            self.reference = None
            self._load(CONTEXT)
            return
        self.shown = loaded.diff if loaded.diff != self.shown else self.shown
        self.show()

    def _show_anyway(self) -> None:
        self._anyway.add(self.path)
        self.load_again()

    def _cancel(self) -> None:
        self._loader.drop_diff()
        if self.shown is not None:
            self.show()
        else:
            self._pane.say(tr("The diff was not computed."), "again")


def _same(diff: FileDiff, other: FileDiff | ChangedFile) -> bool:
    return (diff.sha256, diff.base_sha256) == (other.sha256, other.base_sha256)
