"""RecordStrip: over a chat whose record was changed outside the program. RecordQuestion: going on with it asks once."""

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from desktop.domain.display.text import display_text
from desktop.language import said, tr
from desktop.ui.core.engine_facts import EngineFacts
from desktop.ui.widgets.dialogs.ask import AskDialog, Question
from desktop.ui.widgets.strip import Strip


class RecordStrip(Strip):
    """`details_asked`: show what is recorded."""

    details_asked = Signal()

    def __init__(self, engine: EngineFacts, parent: QWidget) -> None:
        super().__init__("record_strip", parent)
        self._engine = engine
        self.add_button(tr("Details"), "record_strip_details").clicked.connect(self.details_asked)

    def show_chat(self, session_id: str) -> None:
        """This chat is on screen."""
        sentence = display_text(said(self._engine.changed_records.get(session_id, "")))
        if sentence != self.text.text():
            self.say(sentence)


class RecordQuestion:
    """Messages for a chat whose record was changed wait for a person's word (sessions-ST15).

    It is asked over the window of `page`.
    """

    def __init__(self, engine: EngineFacts, page: QWidget) -> None:
        self._engine, self._page = engine, page
        self._agreed: set[str] = set()

    def hold(self, session_id: str, go: Callable[[], None], drop: Callable[[], None]) -> bool:
        """Whether a person is asked first; then `go` or `drop` is called. Once agreed, a chat goes on."""
        sentence = self._engine.changed_records.get(session_id, "")
        if not sentence or session_id in self._agreed:
            return False
        question = Question(
            "record_changed_dialog",
            tr("Go on with a changed record?"),
            tr(
                "{sentence} The model is sent what stands there now. Nothing was repaired.",
                sentence=display_text(said(sentence)),
            ),
            (tr("Leave it"), "record_changed_leave"),
            (tr("Go on"), "record_changed_go"),
        )
        dialog = AskDialog(question, self._page.window())

        def agreed() -> None:
            self._agreed.add(session_id)
            go()

        dialog.agreed.connect(agreed)
        dialog.rejected.connect(drop)
        dialog.open()
        return True
