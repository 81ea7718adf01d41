"""Place: a column of the window that shows what was put there last; SidePlace: one that can be folded to a strip."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from desktop.language import tr
from desktop.ui.core.actions import key_text
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_2
from desktop.ui.widgets.buttons.icon_button import IconButton
from desktop.ui.widgets.layouts.gaps import set_gaps

FOLDED_WIDTH = 44


class Place(QFrame):
    """A column of the window, which shows what was put there last; `kind` as in the stylesheet."""

    def __init__(self, kind: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("kind", kind)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._shown: QWidget | None = None

    def put(self, widget: QWidget) -> None:
        """Show this, which gets the focus that is given to the column. What was shown is gone unless it was taken."""
        before, self._shown = self._shown, widget
        if before is not None and before.parentWidget() is self:
            before.hide()
            before.deleteLater()
        self._column.addWidget(widget)
        self._column.activate()
        widget.show()
        self.setFocusProxy(widget)


class SidePlace(Place):
    """`open_asked`: a person wants to see what is folded."""

    open_asked = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__("side", parent)
        self._folded = self._bare = False
        self._strip = QWidget(self)
        rows = QVBoxLayout(self._strip)
        set_gaps(rows, (0, SPACE_2, 0, 0))
        self.button = IconButton("chevron-left", tr("Show the inspector"), self._strip)
        self.button.setObjectName("inspector_unfold")
        self.button.set_name(tr("Show the inspector"), key_text("toggle_inspector"))
        self.button.clicked.connect(self.open_asked)
        rows.addWidget(self.button, 0, Qt.AlignmentFlag.AlignHCenter)
        rows.addStretch(1)
        self._column.addWidget(self._strip)
        self._strip.hide()

    @property
    def folded_width(self) -> int:
        """How wide the strip is, in pixels."""
        return theme().px(FOLDED_WIDTH)

    def put(self, widget: QWidget) -> None:
        """As before; what is put into a folded column is seen when it is unfolded."""
        super().put(widget)
        self._take()

    def set_folded(self, folded: bool, *, bare: bool = False) -> None:
        """Become a strip, or whole again; `bare`: for now without what is in it."""
        if (folded, bare) != (self._folded, self._bare):
            self._folded, self._bare = folded, bare
            self._take()

    def _take(self) -> None:
        self._strip.setVisible(self._folded)
        if self._shown is not None:
            self._shown.setVisible(not self._folded and not self._bare)
        self.setFocusProxy(self.button if self._folded or self._shown is None else self._shown)
