"""AgentStrip: over the composer of a chat whose agent is not here, which can be read and goes on with another one."""

from PySide6.QtCore import QPoint, QRect, Signal
from PySide6.QtWidgets import QWidget

from desktop.language import tr
from desktop.ui.widgets.strip import Strip

_READABLE = tr("The chat can be read.")


class AgentStrip(Strip):
    """`choice_asked`: another agent is wanted; it carries where the button is on screen."""

    choice_asked = Signal(QRect)

    def __init__(self, parent: QWidget) -> None:
        super().__init__("agent_strip", parent, role="warning")
        self._choose = self.add_button(tr("Choose an agent…"), "agent_strip_choose")
        self._choose.setToolTip(tr("The chat goes on with it as a fork; this one stays as it is."))
        self._choose.clicked.connect(self._on_choose)

    def show_missing(self, why: str) -> None:
        """Why the agent of the chat on screen cannot work, "" if it can. Display-safe."""
        text = f"{why} {_READABLE}" if why else ""
        if text != ("" if self.isHidden() else self.text.text()):
            self.say(text, "warning")

    def _on_choose(self) -> None:
        self.choice_asked.emit(QRect(self._choose.mapToGlobal(QPoint(0, 0)), self._choose.size()))
