"""The preview block of an SQL card: what the statement would change, why that is not known, or the offer to try it."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from desktop.domain.display.text import display_text
from desktop.domain.gate.effects import EffectPreview, TableEffect
from desktop.language import number, said, tr
from desktop.records import dataclass
from desktop.ui.gate.cards.card import InputCard
from desktop.ui.gate.cards.evidence.effect_grid import EffectGrid
from desktop.ui.gate.cards.evidence.effect_words import effect_sentences
from desktop.ui.gate.cards.evidence.parts_block import PartsBlock
from desktop.ui.text.format import count

TRYING = tr("Trying it…")


@dataclass(frozen=True)
class PreviewWords:
    """The words of a block: its heading, its button, what it says before anybody clicked and while it waits. `lines`:
    what is found are sentences, and no effects on tables; `rest`: what it says below those that were found unasked."""

    heading: str
    button: str
    before: str
    waiting: str = TRYING
    lines: bool = False
    rest: str = ""


OF_SQL = PreviewWords(
    tr("What it would change"),
    tr("Show what it would change"),
    tr("Nothing was tried yet. It is rolled back after trying."),
)
OF_WEB = PreviewWords(
    tr("Where it leads"),
    tr("Look it up"),
    tr("Nothing was asked yet. This asks for the address of the host, and the host for its robots.txt."),
    tr("Looking it up…"),
    lines=True,
    rest=tr("The host was not asked yet. This asks it for its robots.txt."),
)
_MOST_GRIDS = 3
_CANNOT_UNDO = tr("What this preview cannot undo")


class PreviewBlock(PartsBlock):
    """Shows a preview, and another one when it comes. `asked`: a person wants to see what it would change."""

    asked = Signal()

    def __init__(self, card: InputCard, preview: EffectPreview, words: PreviewWords = OF_SQL) -> None:
        super().__init__(card.body.contents, "approval_preview", words.heading)
        self._words = words
        self._try = card.button(words.button, "preview_run")
        self._try.setParent(self)
        self._try.clicked.connect(self._ask)
        self._column.addWidget(self._try, 0, Qt.AlignmentFlag.AlignLeft)
        self.show_preview(preview)

    def show_preview(self, preview: EffectPreview) -> None:
        """Show what was found."""
        self._clear()
        self._try.setVisible(preview.on_click)
        if preview.on_click:
            self._offer(preview)
            return
        if self._words.lines:
            found = preview.warnings or (preview.problem,)
            self._say("\n".join(display_text(said(line)) for line in found), "", "approval_preview_text")
            return
        first, *others = effect_sentences(preview)
        self._say(first, "muted" if preview.problem else "strong", "approval_preview_text")
        if others:
            self._say(" ".join(others), "caption", "approval_preview_more")
        tables = [table for table in preview.tables if table.columns and (table.before or table.after)]
        for table in tables[:_MOST_GRIDS]:
            self._add_grid(table, named=len(preview.tables) > 1)
        if len(tables) > _MOST_GRIDS:
            self._say(tr("And {tables}.", tables=count(len(tables) - _MOST_GRIDS, "more table")), "caption")
        for name, words in (
            (tr("Triggers that fired"), preview.triggers),
            (tr("Foreign keys that acted"), preview.cascades),
        ):
            if words:
                self._say(f"{name}: {', '.join(map(display_text, words))}", "caption")
        if preview.warnings:
            lines = "\n".join(display_text(said(line)) for line in preview.warnings)
            self._say(lines, "caption", "approval_preview_warnings", "warning")
        if preview.not_undone:
            lines = "\n".join(f"• {display_text(said(line))}" for line in preview.not_undone)
            self._say(f"{_CANNOT_UNDO}\n{lines}", "caption", "approval_preview_not_undone", "warning")

    def _offer(self, preview: EffectPreview) -> None:
        """What was found unasked, and what a click would do."""
        for line in preview.warnings:
            self._say(display_text(said(line)), "", "approval_preview_found")
        words = self._words.rest if preview.warnings and self._words.rest else self._words.before
        self._say(words, "caption", "approval_preview_text")

    def refuse(self, preview: EffectPreview | None) -> None:
        """It was not tried: show what there was before."""
        if preview is not None:
            self.show_preview(preview)

    def set_rows(self, rows: int) -> None:
        """How many rows a grid shows at most before it scrolls."""
        for part in self._parts:
            if isinstance(part, EffectGrid):
                part.set_rows(rows)

    def widgets(self) -> list[QWidget]:
        """What Tab goes through."""
        return [self._try, *(part for part in self._parts if isinstance(part, EffectGrid))]

    def _ask(self) -> None:
        self._clear()
        self._try.hide()
        self._say(self._words.waiting, "muted", "approval_preview_text")
        self.asked.emit()

    def _add_grid(self, table: TableEffect, *, named: bool) -> None:
        rows, shown = table.inserted + table.updated + table.deleted, max(len(table.before), len(table.after))
        name = tr(" in {table}", table=display_text(table.table)) if named else ""
        if rows > shown:
            self._say(
                tr("First {shown} of {rows}{name}", shown=number(shown), rows=count(rows, "row"), name=name), "caption"
            )
        elif name:
            self._say(tr("Rows{name}", name=name), "caption")
        grid = EffectGrid(table, self)
        self._take(grid)
