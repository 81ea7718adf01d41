"""Asked before full auto where the sandbox does not stop everything, or there is none."""

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from desktop.domain.core.permissions import PermissionMode
from desktop.domain.display.text import display_text
from desktop.domain.gate.sandbox import SandboxReport
from desktop.language import tr
from desktop.ui.core.engine_facts import EngineFacts
from desktop.ui.gate.sandbox_words import gap_lines, gap_looks, why_not_full
from desktop.ui.text.modes import mode_words
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.dialogs.ask import AskDialog, Question
from desktop.ui.widgets.fact_list import FactList

_WITHOUT = tr(
    "Commands and writes would run with your own rights and without asking. SQL that may change data still asks."
)
_LIMITED = tr("Commands and writes would run in this sandbox without asking. SQL that may change data still asks.")


class FullAutoDialog(AskDialog):
    """`agreed`: run as the sandbox is. The button to stay has the focus and names the mode that stays.

    `report` None: the engine said only why (`reason`).
    """

    def __init__(self, report: SandboxReport | None, reason: str, mode: PermissionMode, parent: QWidget) -> None:
        limited = report is not None and report.level == "limited"
        why = why_not_full(report) if report is not None else display_text(reason)
        effect = _LIMITED if limited else _WITHOUT
        super().__init__(
            Question(
                name="full_auto_dialog",
                title=tr("Full auto with the limited sandbox?") if limited else tr("Full auto without a sandbox?"),
                text=f"{why} {effect}".strip(),
                stay=(tr("Stay in {mode}", mode=mode_words(mode)), "full_auto_stay"),
                go=(
                    tr("Run with the limited sandbox") if limited else tr("Run without a sandbox"),
                    "full_auto_with_limited_sandbox" if limited else "full_auto_without_sandbox",
                ),
            ),
            parent,
        )
        gaps = gap_lines(report) if report is not None else ()
        if gaps:
            heading = plain_label(self, "heading", wrap=False)
            heading.setText(tr("What it does not stop") if limited else tr("What nothing stops"))
            shown = FactList("full_auto_gaps", heading.text(), ("circle-x", "danger"), self)
            shown.show_lines(gaps, gap_looks(report) if report is not None else {})
            self.details.addWidget(heading)
            self.details.addWidget(shown)


class FullAutoQuestion:
    """Asks for a person's word, once at a time. `owner`: the widget that the dialog lies over."""

    def __init__(self, engine: EngineFacts, owner: QWidget) -> None:
        self._engine, self._owner = engine, owner
        self._asking = False

    @property
    def must_ask(self) -> bool:
        """Whether full auto is known to need a person's word here: the sandbox is not full."""
        return self._engine.sandbox is not None and self._engine.sandbox.level != "full"

    def ask(
        self, mode: PermissionMode, reason: str, go: Callable[[], None], stay: Callable[[], None] = lambda: None
    ) -> None:
        """Ask whether to run as the sandbox is; `go` is called on yes, `stay` on everything else. `mode` stays on no.
        `reason`: the engine's."""
        if self._asking:
            return
        report = self._engine.sandbox if self.must_ask else None
        dialog = FullAutoDialog(report, reason, mode, self._owner)
        dialog.agreed.connect(go)
        dialog.rejected.connect(stay)
        dialog.finished.connect(self._asked)
        self._asking = True
        dialog.open()

    def _asked(self) -> None:
        self._asking = False
