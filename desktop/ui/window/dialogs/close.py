"""Asked before the window closes over a running turn, or over programs in terminals."""

from PySide6.QtWidgets import QWidget

from desktop.language import tr, trn
from desktop.ui.widgets.dialogs.ask import AskDialog, Question


class CloseDialog(AskDialog):
    """`agreed`: stop what runs and close. `running` chats, `programs` in terminals; not both are 0."""

    def __init__(self, running: int, parent: QWidget, *, programs: int = 0) -> None:
        title = trn(running, "A chat is still running.", "{n} chats are still running.")
        text = trn(
            running,
            "Closing stops it; you can continue it later.",
            "Closing stops them; you can continue them later.",
        )
        if programs and running:
            text += " " + trn(
                programs,
                "A program runs in a terminal and is ended too.",
                "{n} programs run in terminals and are ended too.",
            )
        elif programs:
            title = trn(programs, "A program runs in a terminal.", "{n} programs run in terminals.")
            text = trn(programs, "Closing ends it.", "Closing ends them.")
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
