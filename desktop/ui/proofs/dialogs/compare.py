"""CompareDialog: what changed between two pictures: beside each other, overlaid, in turn, or pixel by pixel."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSlider, QStyle, QVBoxLayout, QWidget

from desktop.domain.display.text import display_text
from desktop.domain.proofs.commands import CompareProofs, LoadProofContent
from desktop.domain.proofs.updates import ComparisonLoaded, ProofContentLoaded
from desktop.domain.proofs.values import Proof, ShownProof, percent_words
from desktop.domain.updates import CommandFailed
from desktop.language import number, said, separated, tr
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Request, Requests, answer
from desktop.ui.proofs.dialogs.parts import button
from desktop.ui.text.format import clock_time, count
from desktop.ui.theme.tokens import SPACE_2, SPACE_3
from desktop.ui.widgets.buttons.choice_button import ChoiceButton
from desktop.ui.widgets.buttons.segmented import Segmented
from desktop.ui.widgets.dialogs.dialog import Dialog
from desktop.ui.widgets.layouts.gaps import set_gaps
from desktop.ui.widgets.picker import PickItem
from desktop.ui.widgets.pictures.compare_canvas import CompareCanvas, CompareMode

MODES: tuple[tuple[CompareMode, str], ...] = (
    ("side", tr("Side by side")),
    ("overlay", tr("Overlay")),
    ("blink", tr("Blink")),
    ("difference", tr("Difference")),
)
THRESHOLD, MOST_THRESHOLD = 8, 64
_SETTLE_MS, _SHARE = 250, 0.96


class CompareDialog(Dialog):
    """`after` against one of `others`, the first at the beginning."""

    def __init__(self, requests: Requests, after: Proof, others: Sequence[ShownProof], parent: QWidget) -> None:
        super().__init__(parent)
        self._requests, self._after = requests, after
        self._before_id = others[0].proof.id
        self._asked = Request()
        self.hearing = Hearing().on(ProofContentLoaded, self._on_content)
        self._pictures: dict[str, QPixmap] = {}
        self.setObjectName("proof_compare_dialog")
        self.setWindowTitle(tr("Compare: {title}", title=display_text(after.title)))
        self.setModal(True)
        self.resize(parent.size() * _SHARE)
        self.canvas = CompareCanvas(self)
        self._which = ChoiceButton("proof_compare_with", tr("Compare with"), self)
        self._which.set_items([PickItem(one.proof.id, display_text(one.proof.title), _when(one)) for one in others])
        self._which.chosen.connect(self.compare_with)
        self.modes = Segmented("proof_compare_mode", tr("How they are compared"), MODES, self)
        self.modes.chosen.connect(self.choose_mode)
        self._divide = _slider("proof_overlay", tr("How far the older one reaches"), 100, 50, self)
        self._divide.valueChanged.connect(self.canvas.set_divide)
        self._turn = button(tr("Show the other"), "proof_blink_turn", self)
        self._turn.clicked.connect(self.canvas.turn)
        self._blink = button(tr("Stop"), "proof_blink", self)
        self._blink.clicked.connect(self._on_blink)
        words = tr("How much a colour may differ, 0 to {most_threshold}", most_threshold=MOST_THRESHOLD)
        self._threshold = _slider("proof_threshold", words, MOST_THRESHOLD, THRESHOLD, self)
        self._level = QLabel(self)
        self._level.setObjectName("proof_threshold_value")
        self._settle = QTimer(self, singleShot=True, interval=_SETTLE_MS)
        self._settle.timeout.connect(self._ask)
        self._threshold.valueChanged.connect(self._on_threshold)
        self._result = QLabel(tr("Comparing…"), self)
        self._result.setObjectName("proof_compare_result")
        self._result.setWordWrap(True)
        self._lay_out()
        self.finished.connect(self.deleteLater)
        self.choose_mode("side")
        self._level.setText(tr("Threshold {threshold}", threshold=THRESHOLD))
        self.compare_with(self._before_id)

    def compare_with(self, proof_id: str) -> None:
        """Compare with this one."""
        self._before_id = proof_id
        for wanted in (proof_id, self._after.id):
            if wanted not in self._pictures:
                self._requests.send(LoadProofContent(proof_id=wanted, form="picture"))
        self._show_pictures()
        self._ask()

    def _on_content(self, update: ProofContentLoaded) -> None:
        if update.form == "picture":
            picture = QPixmap()
            picture.loadFromData(update.data, "PNG")
            self._pictures[update.proof_id] = picture
            self._show_pictures()

    def _on_failed(self, failed: CommandFailed) -> None:
        self._result.setText(display_text(failed.text))

    def _ask(self) -> None:
        threshold = self._threshold.value()
        command = CompareProofs(before_id=self._before_id, after_id=self._after.id, threshold=threshold)
        self._asked.drop()
        self._result.setText(tr("Comparing…"))
        found = answer(ComparisonLoaded, self._show_result)
        self._asked = self._requests.ask(command, self, found, failed=self._on_failed)

    def _show_pictures(self) -> None:
        empty = QPixmap()
        self.canvas.set_pictures(self._pictures.get(self._before_id, empty), self._pictures.get(self._after.id, empty))

    def _show_result(self, found: ComparisonLoaded) -> None:
        if found.problem:
            self._result.setText(display_text(said(found.problem)))
            return
        marked = QPixmap()
        marked.loadFromData(found.data, "PNG")
        self.canvas.set_marked(marked)
        regions = count(found.region_count, "region")
        most = (
            tr(", the {regions} largest marked", regions=len(found.regions))
            if found.region_count > len(found.regions)
            else ""
        )
        share = separated(percent_words(found.hundredths))
        words = tr(
            "{share} · {changed} of {total} pixels differ · {regions}{most}",
            share=share,
            changed=number(found.changed),
            total=number(found.total),
            regions=regions,
            most=most,
        )
        self._result.setText(f"{words}\n{said(found.size_note)}" if found.size_note else words)

    @property
    def said(self) -> str:
        """The sentence on the difference."""
        return self._result.text()

    def choose_mode(self, mode: str) -> None:
        """Show them in this way: side, overlay, blink or difference."""
        chosen = next(one for one, _ in MODES if one == mode)
        self.modes.set_value(chosen)
        self.canvas.set_mode(chosen)
        self._divide.setVisible(chosen == "overlay")
        for widget in (self._level, self._threshold):
            widget.setVisible(chosen in ("side", "difference"))
        for one in (self._turn, self._blink):
            one.setVisible(chosen == "blink")
        if chosen == "blink":
            self.canvas.set_blinking(bool(self.style().styleHint(QStyle.StyleHint.SH_Widget_Animate)))
        self._say_blink()

    def _on_blink(self) -> None:
        self.canvas.set_blinking(not self.canvas.blinking)
        self._say_blink()

    def _say_blink(self) -> None:
        self._blink.setText(tr("Stop") if self.canvas.blinking else tr("Start"))

    def _on_threshold(self, value: int) -> None:
        self._level.setText(tr("Threshold {value}", value=value))
        self._settle.start()

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        set_gaps(top, spacing=SPACE_2)
        top.addWidget(self.modes)
        top.addWidget(self._which, 1)
        tools = QHBoxLayout()
        set_gaps(tools, spacing=SPACE_2)
        tools.addWidget(self._level)
        tools.addWidget(self._threshold, 1)
        tools.addWidget(self._divide, 1)
        tools.addWidget(self._turn)
        tools.addWidget(self._blink)
        tools.addStretch()
        bottom = QHBoxLayout()
        bottom.addWidget(self._result, 1)
        close = button(tr("Close"), "proof_compare_close", self)
        close.clicked.connect(self.accept)
        bottom.addWidget(close, 0, Qt.AlignmentFlag.AlignBottom)
        column = QVBoxLayout(self)
        set_gaps(column, (SPACE_3, SPACE_3, SPACE_3, SPACE_3), SPACE_2)
        column.addLayout(top)
        column.addLayout(tools)
        column.addWidget(self.canvas, 1)
        column.addLayout(bottom)


def _slider(name: str, label: str, most: int, value: int, parent: QWidget) -> QSlider:
    slider = QSlider(Qt.Orientation.Horizontal, parent)
    slider.setObjectName(name)
    slider.setAccessibleName(label)
    slider.setRange(0, most)
    slider.setValue(value)
    return slider


def _when(one: ShownProof) -> str:
    commit = one.proof.head[:7]
    return " · ".join(word for word in (clock_time(one.proof.captured_at), commit) if word)
