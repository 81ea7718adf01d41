"""Undoing: shows what taking something back would do, and has it done when a person says so (memory-UL2)."""

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from desktop.domain.ledger.commands import LoadLedger, PlanUndo, RunUndo
from desktop.domain.ledger.updates import LedgerLoaded, UndoPlanned
from desktop.domain.undo.events import UndoReach
from desktop.domain.updates import CommandFailed
from desktop.ui.core.requests import Requests, answer, progress
from desktop.ui.ledger.plan import UndoDialog


class Undoing(QObject):
    """`place`: what its dialogs lie over. `loaded`: the ledger of a chat, after an undo too; `failed`: a sentence."""

    loaded = Signal(object)
    failed = Signal(str)

    def __init__(self, requests: Requests, place: QWidget) -> None:
        super().__init__(place)
        self._requests, self._place = requests, place

    def load(self, session_id: str) -> None:
        """Ask for the ledger of a chat."""
        loaded = answer(LedgerLoaded, self.loaded.emit)
        self._requests.ask(LoadLedger(session_id=session_id), self, loaded, failed=self._on_failed)

    def plan(self, session_id: str, effect_id: str, reach: UndoReach) -> None:
        """Ask what would be done, and show it."""
        command = PlanUndo(session_id=session_id, effect_id=effect_id, reach=reach)
        self._requests.ask(command, self, answer(UndoPlanned, self._show_plan), failed=self._on_failed)

    def _show_plan(self, plan: UndoPlanned, *, changed: bool = False) -> None:
        dialog = UndoDialog(plan, self._place, changed=changed)
        dialog.agreed.connect(lambda: self._run(plan))
        dialog.open()

    def _run(self, plan: UndoPlanned) -> None:
        """Have it done; where the plan is another one by now, that is shown."""
        command = RunUndo(session_id=plan.session_id, effect_id=plan.effect_id, reach=plan.reach, digest=plan.digest)
        again = progress(UndoPlanned, lambda now: self._show_plan(now, changed=True))
        self._requests.ask(command, self, again, answer(LedgerLoaded, self.loaded.emit), failed=self._on_refused)

    def _on_refused(self, failed: CommandFailed) -> None:
        if failed.code != "plan_changed":
            self._on_failed(failed)

    def _on_failed(self, failed: CommandFailed) -> None:
        self.failed.emit(failed.text)
