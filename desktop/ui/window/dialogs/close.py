"""Asked before the window closes over a running turn, or over programs in terminals."""

from PySide6.QtWidgets import QWidget

from desktop.language import tr
from desktop.ui.text import format as fmt
from desktop.ui.widgets.dialogs.ask import AskDialog, Question


class CloseDialog(AskDialog):
    """`agreed`: stop what runs and close. `running` chats, `programs` in terminals; not both are 0."""

    def __init__(self, running: int, parent: QWidget, *, programs: int = 0) -> None:
        what = tr("A chat is") if running == 1 else f"{fmt.count(running, 'chat')} are"
        which = "it" if running == 1 else "them"
        text = tr("Closing stops {which}; you can continue {which} later.", which=which) if running else ""
        in_terminals = (
            tr("A program runs in a terminal")
            if programs == 1
            else tr("{programs} programs run in terminals", programs=programs)
        )
        title = tr("{what} still running.", what=what)
        if programs and running:
            text += tr(
                " {in_terminals} and {value} ended too.",
                in_terminals=in_terminals,
                value="is" if programs == 1 else "are",
            )
        elif programs:
            title, text = f"{in_terminals}.", tr("Closing ends {value}.", value="it" if programs == 1 else "them")
        super().__init__(
            Question(
                name="close_dialog",
                title=title,
                text=text,
                stay=(tr("Keep open"), "close_keep"),
                go=(tr("Stop and close") if running else tr("End and close"), "close_stop"),
            ),
            parent,
        )
