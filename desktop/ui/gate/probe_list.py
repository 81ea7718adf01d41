"""ProbeList: what was tried on the sandbox and what came of it, with the button to try again."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from desktop.domain.display.text import display_text
from desktop.domain.gate.sandbox import ProbeResult, SandboxReport
from desktop.language import said, tr
from desktop.ui.gate.sandbox_words import (
    LOOKS,
    chip_words,
    counted,
    level_sentence,
    made_with,
    outcome_words,
    tried_words,
    why_not_full,
    worst_first,
)
from desktop.ui.text.format import clock_time, full_time
from desktop.ui.theme.tokens import SPACE_1, SPACE_2, SPACE_3
from desktop.ui.widgets.buttons.off import UNDER_WAY, set_off
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.chip import Chip
from desktop.ui.widgets.elided_label import ElidedLabel, plain_tooltip
from desktop.ui.widgets.icon_label import IconLabel
from desktop.ui.widgets.layouts.gaps import set_gaps

_PROBING = tr("Trying every escape. This takes up to 10 s.")


class ProbeRow(QFrame):
    """One escape: what was tried, what came of it, and what a gap lets a command do."""

    def __init__(self, probe: ProbeResult, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("sandbox_probe")
        self.setProperty("item_id", probe.name)
        icon_name, token = LOOKS[probe.outcome]
        words, outcome, gap = tried_words(probe), outcome_words(probe.outcome), display_text(said(probe.gap))
        self.setAccessibleName(". ".join(part for part in (f"{words}: {outcome}", gap) if part))
        self.setToolTip(plain_tooltip(display_text(said(probe.detail))))
        title = plain_label(self)
        title.setText(words)
        result = plain_label(self, "caption", role=token, wrap=False)
        result.setText(outcome)
        below = plain_label(self, "caption")
        say(below, gap)
        texts = QVBoxLayout()
        set_gaps(texts, spacing=0)
        texts.addWidget(title)
        texts.addWidget(below)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        set_gaps(layout, spacing=SPACE_2)
        layout.addWidget(IconLabel(icon_name, token, self), 0, Qt.AlignmentFlag.AlignTop)
        layout.addLayout(texts, 1)
        layout.addWidget(result, 0, Qt.AlignmentFlag.AlignTop)


class ProbeList(QWidget):
    """`name`: the first part of its object names. `again` is its button; whoever owns the list sends the command."""

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName(f"{name}_report")
        self._report: SandboxReport | None = None
        self._level = Chip("", "neutral", self)
        self._level.setObjectName(f"{name}_level")
        self._made = ElidedLabel("", self)
        self._made.setObjectName(f"{name}_tier")
        self._made.setProperty("kind", "muted")
        self.again = push_button(tr("Probe again"), f"{name}_again", self)
        self._sentence = plain_label(self, "", f"{name}_sentence")
        self._counted = plain_label(self, "caption", f"{name}_counted")
        self._rows = QVBoxLayout()
        set_gaps(self._rows, spacing=SPACE_2)
        head = QHBoxLayout()
        set_gaps(head, spacing=SPACE_2)
        head.addWidget(self._level)
        head.addWidget(self._made, 1)
        head.addWidget(self.again)
        texts = QVBoxLayout()
        set_gaps(texts, spacing=SPACE_1)
        texts.addWidget(self._sentence)
        texts.addWidget(self._counted)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        set_gaps(layout, spacing=SPACE_3)
        layout.addLayout(head)
        layout.addLayout(texts)
        layout.addLayout(self._rows)
        self.show_report(None)

    def show_probing(self) -> None:
        """A new probe is under way."""
        set_off(self.again, UNDER_WAY)
        self._counted.setText(_PROBING)
        self._counted.show()

    def show_problem(self, text: str) -> None:
        """The probe could not be made. The text must have passed display_text()."""
        set_off(self.again, "")
        say(self._counted, text)

    def show_report(self, report: SandboxReport | None) -> None:
        """Show what the last probe found; None: there was none yet."""
        set_off(self.again, "")
        if report is None:
            self._level.hide()
            self._made.set_full_text("")
            self._sentence.setText(tr("The sandbox has not been tried yet."))
            self._counted.hide()
            return
        if report == self._report:
            self._say_when(report)
            return
        self._report = report
        self._level.set_chip(*chip_words(report.level))
        self._level.show()
        self._made.set_full_text(made_with(report))
        self._sentence.setText(why_not_full(report) or level_sentence(report.level))
        self._say_when(report)
        self._fill(report)

    def _say_when(self, report: SandboxReport) -> None:
        parts = [counted(report), tr("tried at {at}", at=clock_time(report.at)) if report.probes else ""]
        say(self._counted, ", ".join(part for part in parts if part) or tr("Tried at {at}.", at=clock_time(report.at)))
        self._counted.setToolTip(full_time(report.at))

    def _fill(self, report: SandboxReport) -> None:
        while (item := self._rows.takeAt(0)) is not None:
            row = item.widget()
            if row is not None:
                row.hide()
                row.deleteLater()
        for probe in worst_first(report):
            row = ProbeRow(probe, self)
            self._rows.addWidget(row)
            row.show()
