"""PictureDialog: an attached picture, as large as the window lets it be."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from desktop.language import tr
from desktop.ui.theme.tokens import SPACE_3
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.dialogs.dialog import Dialog
from desktop.ui.widgets.layouts.gaps import set_gaps

_SHARE = 0.8


class PictureDialog(Dialog):
    """Shows the picture whole. `name` must have passed display_text()."""

    def __init__(self, name: str, picture: QPixmap, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("attachment_dialog")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setModal(True)
        self.setWindowTitle(name)
        shown = QLabel(self)
        shown.setObjectName("attachment_picture")
        shown.setAccessibleName(name)
        room = QSize(round(parent.window().width() * _SHARE), round(parent.window().height() * _SHARE))
        fits = picture.width() <= room.width() and picture.height() <= room.height()
        keep, smooth = Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
        shown.setPixmap(picture if fits else picture.scaled(room, keep, smooth))
        shown.setAlignment(Qt.AlignmentFlag.AlignCenter)
        close = push_button(tr("Close"), "attachment_close", self)
        close.clicked.connect(self.accept)
        layout = QVBoxLayout(self)
        set_gaps(layout, (SPACE_3, SPACE_3, SPACE_3, SPACE_3), SPACE_3)
        layout.addWidget(shown, 1)
        layout.addWidget(close, 0, Qt.AlignmentFlag.AlignRight)
        close.setFocus()
