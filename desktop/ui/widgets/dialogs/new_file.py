"""ask_new_file: where something is to be written that must not take the place of a file."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QWidget


def ask_new_file(
    title: str, name: str, suggested: str, parent: QWidget | None, chosen: Callable[[str], object]
) -> None:
    """Open the system's dialog, named `name`; `suggested` has the ending. `chosen` is given the path. Whether the file
    is there already is looked at by who writes it."""
    dialog = QFileDialog(parent, title)
    dialog.setObjectName(name)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setFileMode(QFileDialog.FileMode.AnyFile)
    dialog.setOption(QFileDialog.Option.DontConfirmOverwrite)
    dialog.setDefaultSuffix(suggested.rpartition(".")[2])
    dialog.selectFile(suggested)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.fileSelected.connect(chosen)
    dialog.open()
