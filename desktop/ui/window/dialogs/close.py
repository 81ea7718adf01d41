"""Asked before the window closes over a running turn, or over programs in terminals."""

from PySide6.QtWidgets import QWidget

from desktop.ui.text import format as fmt
from desktop.ui.widgets.dialogs.ask import AskDialog, Question


class CloseDialog(AskDialog):
    """`agreed`: stop what runs and close. `running` chats, `programs` in terminals; not both are 0."""

    def __init__(self, running: int, parent: QWidget, *, programs: int = 0) -> None:
        what = "A chat is" if running == 1 else f"{fmt.count(running, 'chat')} are"
        which = "it" if running == 1 else "them"
        text = f"Closing stops {which}; you can continue {which} later." if running else ""
        in_terminals = "A program runs in a terminal" if programs == 1 else f"{programs} programs run in terminals"
        title = f"{what} still running."
        if programs and running:
            text += f" {in_terminals} and {'is' if programs == 1 else 'are'} ended too."
        elif programs:
            title, text = f"{in_terminals}.", f"Closing ends {'it' if programs == 1 else 'them'}."
        super().__init__(
            Question(
                name="close_dialog",
                title=title,
                text=text,
                stay=("Keep open", "close_keep"),
                go=("Stop and close" if running else "End and close", "close_stop"),
            ),
            parent,
        )
