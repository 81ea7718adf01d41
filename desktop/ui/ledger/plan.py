"""UndoDialog: what an undo would do, entry by entry and newest first, and what stands in its way (memory-UL2)."""

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QLabel, QWidget

from desktop.domain.display.text import display_text
from desktop.domain.ledger.updates import PlannedEntry, ThreeWay, UndoPlanned
from desktop.language import said, tr
from desktop.records import dataclass
from desktop.ui.changes.file_rows import row_list
from desktop.ui.gate.cards.evidence.evidence import show_lines
from desktop.ui.models.keyed_rows import KeyedRows
from desktop.ui.text.call_titles import call_title
from desktop.ui.text.format import count
from desktop.ui.text.safe_text import safe_text
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SIDEBAR_ROW
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.dialogs.ask import AskDialog, Question
from desktop.ui.widgets.elided_label import plain_tooltip
from desktop.ui.widgets.text_box import TextBox

_ICONS = {
    "undo": ("undo-2", "text"),
    "partly": ("undo-2", "warning"),
    "done": ("check", "muted"),
    "cannot": ("circle-dot", "muted"),
    "blocked": ("octagon-x", "danger"),
    "not_reached": ("circle-dot", "muted"),
}
_LEADS = {
    "undo": "",
    "partly": tr("Partly: "),
    "done": tr("Nothing to do: "),
    "cannot": tr("Stays: "),
    "blocked": tr("Stops here: "),
    "not_reached": tr("Not reached. "),
}
_SHOWN, _NAMED, _MOST_NAMED, _SIDES_LINES = 6, 3, 12, 12
_KEPT = tr("Newest first. Each is looked at again in its moment, and the first that fits no longer stops it.")
_STOPS = tr("It stops before the entry that does not fit any more; what comes before that is undone.")
_ONLY_STAYS = tr("Nothing of this can be undone.")
_CHANGED = tr("What would be undone changed meanwhile. This is what it would be now.")


@dataclass(frozen=True)
class PlannedRow:
    """One entry as it is listed."""

    entry: PlannedEntry

    @property
    def key(self) -> str:
        """The id of the effect."""
        return self.entry.effect_id

    @property
    def title(self) -> str:
        """What was done."""
        return display_text(self.entry.what if self.entry.verbatim else call_title(said(self.entry.what)))

    @property
    def detail(self) -> str:
        """What is done about it: "Put back: a.txt."."""
        return f"{_LEADS[self.entry.verdict]}{display_text(said(self.entry.text))}".strip()

    @property
    def icon(self) -> tuple[str, str]:
        """By what comes of it."""
        return _ICONS[self.entry.verdict]


class PlanModel(KeyedRows[PlannedRow]):
    """The entries of a plan."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)

    def text_of(self, row: PlannedRow, column: int) -> str:
        """Its title."""
        return row.title

    def sentence_of(self, row: PlannedRow) -> str:
        """The row, read out."""
        return f"{row.title}, {row.detail}"

    def tip_of(self, row: PlannedRow) -> str:
        """Title and detail, whole."""
        return plain_tooltip(f"{row.title}\n{row.detail}")


class UndoDialog(AskDialog):
    """Emits `agreed`. Of the chosen entry all words and files stand below the list."""

    def __init__(self, plan: UndoPlanned, parent: QWidget, *, changed: bool = False) -> None:
        doing = [entry for entry in plan.entries if entry.verdict in ("undo", "partly", "done")]
        blocked = any(entry.verdict == "blocked" for entry in plan.entries)
        words = _STOPS if blocked else _KEPT
        title = tr("Undo {changes}?", changes=count(len(doing), "change")) if doing else tr("Undo?")
        question = Question(
            "undo_dialog",
            title,
            f"{_CHANGED} {words}" if changed else words if doing else _ONLY_STAYS,
            (tr("Cancel"), "undo_cancel"),
            (tr("Undo {changes}", changes=count(len(doing), "change")) if doing else tr("Undo"), "undo_go"),
            dangerous=False,
        )
        super().__init__(question, parent)
        self.plan = plan
        set_off(self.go, "" if doing else _ONLY_STAYS)
        self.model = PlanModel(self)
        self.model.set_rows([PlannedRow(entry) for entry in plan.entries])
        self.list = row_list(self, "undo_list", tr("What would be undone, newest first"), self.model)
        rows = min(_SHOWN, max(1, len(plan.entries)))
        self.list.setFixedHeight(rows * theme().px(theme().dense(SIDEBAR_ROW)) + 2 * self.list.frameWidth())
        self._words = QLabel("", self)
        self._words.setObjectName("undo_words")
        self._words.setTextFormat(Qt.TextFormat.PlainText)
        self._words.setProperty("kind", "muted")
        self._words.setWordWrap(True)
        self._sides = TextBox("undo_three_way", tr("What the entry changed, and what changed since"), self)
        self._sides.setFixedHeight(_SIDES_LINES * self._sides.fontMetrics().lineSpacing())
        self._sides.hide()
        self.details.addWidget(self.list)
        self.details.addWidget(self._words)
        self.details.addWidget(self._sides)
        self.list.selectionModel().currentChanged.connect(self._on_current)
        theme().changed.connect(self._on_current)
        at = next((i for i, entry in enumerate(plan.entries) if entry.verdict == "blocked"), 0)
        self.list.setCurrentIndex(self.model.index(at, 0))

    def _on_current(self, *_changes: object) -> None:
        row = self.list.currentIndex().row()
        if not 0 <= row < len(self.model.rows):
            return
        found = self.model.rows[row]
        paths = [display_text(path) for path in found.entry.paths] if len(found.entry.paths) > _NAMED else []
        more = [tr("… and {value} more", value=len(paths) - _MOST_NAMED)] if len(paths) > _MOST_NAMED else []
        self._words.setText("\n".join([found.detail, *paths[:_MOST_NAMED], *more]))
        show_lines(self._sides, safe_text("\n".join(_compared(one) for one in found.entry.three_way)), diff=True)
        self._sides.verticalScrollBar().setValue(0)
        self._sides.setVisible(bool(found.entry.three_way))


def _compared(file: ThreeWay) -> str:
    """Both differences of one file, one below the other."""
    sides = ((tr("what this entry changed"), file.did), (tr("what changed since"), file.since))
    return "\n".join(f"{file.path}: {title}\n{text.rstrip() or tr('(cannot be shown)')}\n" for title, text in sides)
