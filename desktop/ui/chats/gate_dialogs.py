"""GateDialogs: the dialogs over a chat that speak of the gate: full auto, the sandbox, what the chat has read."""

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from desktop.domain.commands import ClearTaint
from desktop.domain.core.permissions import PermissionMode
from desktop.ui.chats.book import ChatFacts
from desktop.ui.chats.commands import ChatCommands
from desktop.ui.core.engine_facts import EngineFacts
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Requests
from desktop.ui.gate.full_auto import FullAutoQuestion
from desktop.ui.gate.sandbox import SandboxDialog
from desktop.ui.gate.taint import TaintDialog


class GateDialogs:
    """One of each at most. `owner`: the widget that they lie over."""

    def __init__(self, requests: Requests, commands: ChatCommands, engine: EngineFacts, owner: QWidget) -> None:
        self._requests, self._commands, self._engine, self._owner = requests, commands, engine, owner
        self.hearing = Hearing()
        self._sandbox: SandboxDialog | None = None
        self._full_auto = FullAutoQuestion(engine, owner)

    @property
    def must_ask(self) -> bool:
        """Whether full auto is known to need a person's word here: the sandbox is not full."""
        return self._full_auto.must_ask

    def ask_full_auto(self, mode: PermissionMode, reason: str, go: Callable[[], None]) -> None:
        """Ask whether to run as the sandbox is; `go` is called on yes. `mode` stays on no. `reason`: the engine's."""
        self._full_auto.ask(mode, reason, go)

    def ask_for_plan(self, reason: str, go: Callable[[], None]) -> None:
        """The same for a plan that was approved in full auto."""
        self.ask_full_auto(PermissionMode.PLAN, reason, go)

    def show_sandbox(self) -> None:
        """Show what the sandbox stops."""
        if self._sandbox is None:
            self._sandbox = SandboxDialog(self._requests, self._engine.sandbox, self._owner)
            self.hearing.join(self._sandbox.hearing, self._sandbox)
            self._sandbox.finished.connect(self._sandbox_closed)
            self._sandbox.open()

    def show_taint(self, facts: ChatFacts | None) -> None:
        """Show what the chat has read, and let the person clear the mark."""
        if facts is None or not facts.tainted:
            return
        session_id = facts.session_id
        dialog = TaintDialog(facts.taint_reasons, facts.tainted, self._owner)
        dialog.agreed.connect(lambda: self._commands.send(ClearTaint(session_id=session_id)))
        dialog.open()

    def _sandbox_closed(self) -> None:
        self._sandbox = None
