"""Asked before another repository takes the place of the one that several windows show."""

from pathlib import Path

from PySide6.QtWidgets import QWidget

from desktop.language import tr, trn
from desktop.ui.text.safe_text import safe_line
from desktop.ui.widgets.dialogs.ask import AskDialog, Question


class OtherRepositoryDialog(AskDialog):
    """`agreed`: show the repository at `path` in this window and in the `others`, which show the one named `shown`.

    Why it has to be asked: one engine works on one repository at a time, and all windows are windows of that engine.
    """

    def __init__(self, path: str, shown: str, others: int, parent: QWidget) -> None:
        new, old = safe_line(Path(path).name or path), safe_line(shown)
        super().__init__(
            Question(
                name="other_repository_dialog",
                title=tr("Show {new} in every window?", new=new),
                text=trn(
                    others,
                    "All windows show one repository. The other window would leave {old} too. Its chats that work "
                    "now go on and are there when you open {old} again.",
                    "All windows show one repository. The {n} other windows would leave {old} too. Its chats that work "
                    "now go on and are there when you open {old} again.",
                    old=old,
                ),
                stay=(tr("Stay with {old}", old=old), "other_repository_stay"),
                go=(tr("Change all windows"), "other_repository_change"),
                dangerous=False,
            ),
            parent,
        )
