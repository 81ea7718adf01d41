"""All evidence of a card: each text with its caption and warnings, and whether the whole has been on screen."""

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QHBoxLayout, QLabel, QTextEdit, QWidget

from desktop.domain.core.content import Block, CodeBlock, DiffBlock
from desktop.domain.core.permissions import Category
from desktop.domain.display.surfaces import display_warnings, surface_runs
from desktop.domain.display.text import joined
from desktop.domain.gate.pending import ApprovalRequest, ShownSql
from desktop.language import said, tr
from desktop.ui.gate.cards.card import InputCard
from desktop.ui.gate.cards.evidence.evidence import EvidencePiece, EvidenceText, piece_of
from desktop.ui.gate.cards.guard import CardButton
from desktop.ui.text.card_blocks import told_blocks
from desktop.ui.text.format import count
from desktop.ui.text.safe_text import said_text
from desktop.ui.text.utf16 import to_units
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import CAPTION, SPACE_1, SPACE_2
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.layouts.gaps import set_gaps


class EvidenceList(QObject):
    """Adds its parts to the body of a card. `seen_all`: the end of one more text was on screen."""

    seen_all = Signal()

    def __init__(self, card: InputCard, request: ApprovalRequest) -> None:
        super().__init__(card)
        self._card, self._request = card, request
        self._pairs: list[tuple[EvidenceText, CardButton]] = []
        self._captions: list[QLabel] = []
        self._parts: list[QWidget] = []

    def add_blocks(self) -> None:
        """The blocks of the request's card."""
        told = list(self._request.warnings)
        for block in told_blocks(self._request.card.blocks, of_server=self._request.subject == "mcp"):
            piece = piece_of(block, of_file=self._request.category is Category.WRITE)
            if piece.text:
                self.add(piece, f"{piece.caption}{self._figures(block)}", told)
                self._highlight(block)
                told = []

    def add(self, piece: EvidencePiece, caption: str = "", warnings: list[str] | None = None) -> None:
        """One more text."""
        body, head = self._card.body, QHBoxLayout()
        set_gaps(head, (0, 0, 0, 0), SPACE_2)
        body.column.addLayout(head)
        if caption:
            label = plain_label(body.contents, "caption")
            label.setText(caption)
            head.addWidget(label, 1)
            self._captions.append(label)
            self._parts.append(label)
        text = EvidenceText(piece, body.contents, "approval_evidence")
        lines = piece.text.count("\n") + 1
        whole = tr("Show all {lines}", lines=count(lines, "line")) if lines > 1 else tr("Show all of it")
        more = self._card.button(whole, "show_all", "link")
        more.setParent(body.contents)
        more.clicked.connect(lambda: self._show_all(text))
        more.setVisible(False)
        text.seen_all.connect(self._on_seen)
        self._pairs.append((text, more))
        head.addWidget(more, 0, Qt.AlignmentFlag.AlignTop)
        body.column.addWidget(text)
        self._parts.append(text)
        self._warn(text, warnings or [])

    @property
    def seen(self) -> bool:
        """Whether every text counts as seen."""
        return all(text.seen for text, _more in self._pairs)

    @property
    def marks(self) -> tuple[tuple[bool, bool], ...]:
        """For each text: whether it was seen, and whether all of it was asked for."""
        return tuple((text.seen, text.unbounded) for text, _more in self._pairs)

    def restore(self, seen: tuple[bool, ...], shown_all: tuple[bool, ...]) -> None:
        """What was seen of the same request counts as seen."""
        if len(seen) != len(self._pairs):
            return
        for (text, _more), was_seen, was_shown in zip(self._pairs, seen, shown_all, strict=True):
            if was_shown:
                text.show_all()
            text.seen = was_seen

    def widgets(self) -> list[QWidget]:
        """Texts and their buttons in the order of Tab."""
        return [part for pair in self._pairs for part in pair]

    def parts(self) -> list[QWidget]:
        """Everything that was added and can be hidden."""
        return [*self._parts, *(more for _text, more in self._pairs)]

    def offer_all(self) -> None:
        """Offer to show all where the end is out of sight."""
        for text, more in self._pairs:
            more.setVisible(not text.seen and not text.isHidden())

    def enable(self) -> None:
        """Looking is always possible."""
        for _text, more in self._pairs:
            set_off(more, "")

    def make_fit(self, width: int, height: int) -> None:
        """The highest box gives way, down to a few lines."""
        for caption in self._captions:
            caption.setVisible(not self._card.tiny and not self._pairs[0][0].isHidden())
        shown = [text for text, _more in self._pairs if not text.isHidden()]
        for text in shown:
            text.set_most(0)
        over = self._card.height_at(width) - height
        if over > 0 and shown:
            highest = max(shown, key=lambda text: text.heightForWidth(width))
            highest.set_most(max(1, highest.heightForWidth(width) - over))

    def _figures(self, block: Block) -> str:
        if isinstance(block, CodeBlock) and self._request.commands and block.language != "console":
            return f" · {count(len(self._request.commands), 'command')}"
        if isinstance(block, DiffBlock):
            return f" · {base_state(block.unified)}"
        return ""

    def _warn(self, text: EvidenceText, warnings: list[str]) -> None:
        sentences = [said_text(said(line)) for line in warnings]
        found = map(said, display_warnings(text.piece.text, text.piece.surface))
        sentences += [line for line in found if line not in sentences]
        if not sentences:
            return
        line = plain_label(self._card.body.contents, "banner", "approval_warning", role="warning")
        line.setFont(theme().font(CAPTION))
        line.setContentsMargins(*(theme().px(gap) for gap in (SPACE_2, SPACE_1, SPACE_2, SPACE_1)))
        line.setText("\n".join(sentences))
        self._card.body.column.addWidget(line)
        self._parts.append(line)

    def _highlight(self, block: Block) -> None:
        sql = self._request.sql
        if sql is not None and isinstance(block, CodeBlock) and block.language == "sql" and sql.span != (0, 0):
            highlight_span(self._pairs[-1][0], block.text, sql)

    def _show_all(self, text: EvidenceText) -> None:
        text.show_all()
        self._card.content_changed()

    def _on_seen(self) -> None:
        for text, more in self._pairs:
            more.setVisible(more.isVisible() and not text.seen)
        self.seen_all.emit()


def base_state(unified: str) -> str:
    """What a diff does to its file: "new file", "deletes the file" or "changes the file"."""
    hunk = next((line for line in unified.split("\n", 400)[:400] if line.startswith("@@ ")), "")
    if hunk.startswith("@@ -0,0 "):
        return tr("new file")
    return tr("deletes the file") if " +0,0 @@" in hunk else tr("changes the file")


def highlight_span(text: EvidenceText, source: str, sql: ShownSql) -> None:
    """Mark the fragment of a statement in its box, if what is drawn before it has a place of its own; not the whole of
    a statement, of which all is meant."""
    start, end = (len(joined(surface_runs(source[:at], text.piece.surface))) for at in sql.span)
    drawn = text.toPlainText()
    fragment = joined(surface_runs(source[slice(*sql.span)], text.piece.surface))
    if drawn[start:end] != fragment or fragment.strip() == drawn.strip():
        return
    selection = QTextEdit.ExtraSelection()
    selection.cursor = QTextCursor(text.document())
    selection.cursor.setPosition(to_units(drawn, start))
    selection.cursor.setPosition(to_units(drawn, end), QTextCursor.MoveMode.KeepAnchor)
    selection.format.setBackground(theme().color("warning_bg"))
    text.setExtraSelections([selection])
