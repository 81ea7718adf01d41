"""The block of a command's card that offers to try it in a copy of the lane, and shows what it did there."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QWidget

from desktop.domain.core.content import Block, CodeBlock
from desktop.domain.display.text import display_text
from desktop.domain.preview.effect import EffectFile
from desktop.domain.preview.events import CommandTried
from desktop.language import said, tr
from desktop.ui.gate.cards.card import InputCard
from desktop.ui.gate.cards.evidence.evidence import EvidenceText, piece_of
from desktop.ui.gate.cards.evidence.parts_block import PartsBlock
from desktop.ui.gate.cards.guard import CardButton
from desktop.ui.text.card_blocks import told_blocks
from desktop.ui.text.figures import figure_words
from desktop.ui.text.format import count, duration

OFFER = tr("Runs it now in a copy of the lane, without the network. The lane stays as it is.")
KEPT_NOWHERE = tr("No checkpoint holds such files: an undo does not put them back.")
MOST_DIFFS = 20
_KINDS = {"create": tr("new"), "modify": tr("changed"), "delete": tr("deleted")}
_LEFT = Qt.AlignmentFlag.AlignLeft


class TryBlock(PartsBlock):
    """Offers a try, and shows what came of the last one. `asked`: a person wants it tried. `seen_all`: the end of one
    more part of the difference was on screen. `ticked`: files that Git ignores were ticked, or are no longer."""

    asked = Signal()
    seen_all = Signal()
    ticked = Signal()

    def __init__(self, card: InputCard, tried: CommandTried | None) -> None:
        super().__init__(card.body.contents, "approval_try_block", tr("What it would do, tried in a copy"))
        self._card = card
        self._texts: list[EvidenceText] = []
        self._ignored: EvidenceText | None = None
        self._tick: QCheckBox | None = None
        self._trying = False
        self._try = self._link(tr("Try in a copy"), "try", "")
        self._try.clicked.connect(self.ask)
        self._more = self._link(tr("Show all of it"), "try_show_all", "link")
        self._more.clicked.connect(self._show_all)
        self.show_tried(tried)

    @property
    def seen(self) -> bool:
        """Whether all of the difference that is shown was on screen to its end."""
        ignored = not self.is_ticked or self._ignored is None or self._ignored.seen
        return ignored and all(text.seen for text in self._texts)

    @property
    def is_ticked(self) -> bool:
        """Whether a person wants the files that Git ignores applied as well."""
        return self._tick is not None and self._tick.isChecked()

    def ask(self) -> None:
        """Have it tried, unless it is being tried."""
        if not self._trying and self._card.can_answer:
            self.show_progress(tr("Making the copy…"))
            self.asked.emit()

    def show_progress(self, text: str) -> None:
        """It is being tried, and is so far."""
        self._clear()
        self._trying = True
        self._try.hide()
        self._say(display_text(text), "muted", "approval_try_text")

    def show_tried(self, tried: CommandTried | None) -> None:
        """Show what came of it; None: it was not tried."""
        self._clear()
        self._trying = False
        self._try.setText(tr("Try in a copy") if tried is None else tr("Try again"))
        self._try.setAccessibleName(self._try.text())
        if tried is None:
            self._say(OFFER, "caption", "approval_try_text")
        elif tried.problem:
            self._say(display_text(said(tried.problem)), "muted", "approval_try_text")
        else:
            self._show_effect(tried)
        self._column.removeWidget(self._try)
        self._column.insertWidget(0 if tried is None else self._column.count(), self._try, 0, _LEFT)
        self._try.show()

    def widgets(self) -> list[QWidget]:
        """What Tab goes through."""
        ignored = [one for one in (self._ignored, self._tick) if one is not None]
        return [*self._texts, *ignored, self._more, self._try]

    def _show_effect(self, tried: CommandTried) -> None:
        effect = tried.effect
        self._say(tr("In the copy: {counts}", counts=figure_words(effect.counts)), "strong", "approval_try_text")
        self._say(display_text(_ending(tried)), "caption", "approval_try_ending")
        if effect.stops:
            lines = "\n".join(f"• {display_text(said(line))}" for line in effect.stops)
            self._say(tr("This cannot be applied:\n{lines}", lines=lines), "caption", "approval_try_stops", "warning")
        if effect.asks:
            lines = "\n".join(f"• {display_text(said(line))}" for line in effect.asks)
            self._say(tr("Applying this answers:\n{lines}", lines=lines), "caption", "approval_try_asks", "warning")
        if tried.output.strip():
            self._text_of(CodeBlock(language="console", text=tried.output.rstrip()), tr("What it printed"))
        for block in told_blocks(tried.blocks[:MOST_DIFFS]):
            self._texts.append(self._text_of(block, ""))
        if len(tried.blocks) > MOST_DIFFS:
            names = "\n".join(display_text(file.path) for file in effect.files[MOST_DIFFS:])
            self._texts.append(self._text_of(CodeBlock(language="", text=names), tr("More files")))
        self._show_ignored(tried)
        if any(not text.seen for text in self._shown_texts):
            self._column.removeWidget(self._more)
            self._column.addWidget(self._more, 0, _LEFT)
            self._more.show()
        notes = [display_text(said(line)) for line in (*effect.notes, *tried.limits)]
        if effect.ignored and self._tick is None:
            why = f": {said(effect.beside_stop)}" if effect.beside_stop else "."
            notes.insert(
                0,
                tr(
                    "{files} that Git ignores would differ too; not applied{why}",
                    files=count(effect.ignored, "file"),
                    why=why,
                ),
            )
        self._say("\n".join(f"• {line}" for line in notes), "caption", "approval_try_limits")

    def _show_ignored(self, tried: CommandTried) -> None:
        """The files that Git ignores, and the tick that makes them part of what is applied."""
        files = tried.effect.beside
        if not tried.ticked_digest or not files:
            return
        lines = "\n".join(map(_line, files))
        self._ignored = self._text_of(CodeBlock(language="", text=lines), tr("Files that Git ignores"))
        words = (
            tr("the file that Git ignores")
            if len(files) == 1
            else tr("the {files} files that Git ignores", files=len(files))
        )
        self._tick = QCheckBox(tr("Apply {words} too", words=words), self)
        self._tick.setObjectName("approval_try_ignored")
        self._tick.setAccessibleDescription(KEPT_NOWHERE)
        self._tick.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._tick.toggled.connect(self.ticked)
        self._take(self._tick)
        self._column.setAlignment(self._tick, _LEFT)
        self._say(KEPT_NOWHERE, "caption", "approval_try_kept_nowhere")

    @property
    def _shown_texts(self) -> list[EvidenceText]:
        return [*self._texts, *([self._ignored] if self._ignored is not None else [])]

    def _text_of(self, block: Block, caption: str) -> EvidenceText:
        piece = piece_of(block)
        said = caption or piece.caption
        if said:
            self._say(said, "caption")
        text = EvidenceText(piece, self, "approval_try_difference")
        text.setAccessibleName(said or tr("Difference"))
        text.seen_all.connect(self._on_seen)
        self._take(text)
        return text

    def _link(self, words: str, name: str, kind: str) -> CardButton:
        button = self._card.button(words, name, kind)
        button.setParent(self)
        self._column.addWidget(button, 0, _LEFT)
        return button

    def _show_all(self) -> None:
        for text in self._shown_texts:
            text.show_all()
        self._card.content_changed()

    def _on_seen(self) -> None:
        self._more.setVisible(any(not text.seen for text in self._shown_texts))
        self.seen_all.emit()

    def _clear(self) -> None:
        self._more.hide()
        super()._clear()
        self._texts = []
        self._ignored, self._tick = None, None


def _line(file: EffectFile) -> str:
    size = f"  {count(file.size, 'byte')}" if file.kind != "delete" else ""
    return f"{_KINDS[file.kind]}  {display_text(file.path)}{size}"


def _ending(tried: CommandTried) -> str:
    """How it ended there, and how long it took."""
    how = tr("exit {exit_code}", exit_code=tried.exit_code) if tried.exit_code is not None else tr("no exit code")
    if not tried.finished:
        how = tr("Not finished: {replace}", replace=tried.ending.replace("_", " "))
    left = tr(" · something it had started went on and was ended") if tried.left_running else ""
    return f"{how} · {duration(tried.duration_ms)}{left}"
