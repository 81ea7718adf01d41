"""Asked before another repository takes the place of the one that several windows show."""

from pathlib import Path

from PySide6.QtWidgets import QWidget

from desktop.language import tr
from desktop.ui.text import format as fmt
from desktop.ui.text.safe_text import safe_line
from desktop.ui.widgets.dialogs.ask import AskDialog, Question


class OtherRepositoryDialog(AskDialog):
    """`agreed`: show the repository at `path` in this window and in the `others`, which show the one named `shown`.

    Why it has to be asked: one engine works on one repository at a time, and all windows are windows of that engine.
    """

    def __init__(self, path: str, shown: str, others: int, parent: QWidget) -> None:
        new, old = safe_line(Path(path).name or path), safe_line(shown)
        windows = tr("The other window") if others == 1 else tr("The {count}", count=fmt.count(others, "other window"))
        super().__init__(
            Question(
                name="other_repository_dialog",
                title=tr("Show {new} in every window?", new=new),
                text=tr(
                    "All windows show one repository. {windows} would leave {old} too. Its chats that work "
                    "now go on and are there when you open {old} again.",
                    windows=windows,
                    old=old,
                ),
                stay=(tr("Stay with {old}", old=old), "other_repository_stay"),
                go=(tr("Change all windows"), "other_repository_change"),
                dangerous=False,
            ),
            parent,
        )
