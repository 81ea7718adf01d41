"""RecordStrip: over a chat whose record was changed outside the program; going on with it asks once (sessions-ST15)."""

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from desktop.domain.display.text import display_text
from desktop.ui.chats.commands import ChatCommands
from desktop.ui.core.engine_facts import EngineFacts
from desktop.ui.widgets.dialogs.ask import AskDialog, Question
from desktop.ui.widgets.strip import Strip


class RecordStrip(Strip):
    """`details_asked`: show what is recorded. Messages of `commands` for such a chat wait for a person's word."""

    details_asked = Signal()

    def __init__(self, engine: EngineFacts, commands: ChatCommands, parent: QWidget) -> None:
        super().__init__("record_strip", parent)
        self._engine = engine
        self._agreed: set[str] = set()
        self.add_button("Details", "record_strip_details").clicked.connect(self.details_asked)
        commands.hold = self.hold

    def show_chat(self, session_id: str) -> None:
        """This chat is on screen."""
        sentence = display_text(self._engine.changed_records.get(session_id, ""))
        if sentence != self.text.text():
            self.say(sentence)

    def hold(self, session_id: str, go: Callable[[], None], drop: Callable[[], None]) -> bool:
        """Whether a person is asked first; then `go` or `drop` is called. Once agreed, a chat goes on."""
        sentence = self._engine.changed_records.get(session_id, "")
        if not sentence or session_id in self._agreed:
            return False
        question = Question(
            "record_changed_dialog",
            "Go on with a changed record?",
            f"{display_text(sentence)} The model is sent what stands there now. Nothing was repaired.",
            ("Leave it", "record_changed_leave"),
            ("Go on", "record_changed_go"),
        )
        dialog = AskDialog(question, self.window())

        def agreed() -> None:
            self._agreed.add(session_id)
            go()

        dialog.agreed.connect(agreed)
        dialog.rejected.connect(drop)
        dialog.open()
        return True
