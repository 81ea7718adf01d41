"""push_button: a plain button with a name; small_button: the same, compact."""

from collections.abc import Callable

from PySide6.QtWidgets import QPushButton, QWidget


def push_button(text: str, name: str, parent: QWidget, act: Callable[[], object] | None = None) -> QPushButton:
    """A button that Enter does not press while the focus is elsewhere. `name` is its object name; `act` is called when
    it is clicked."""
    button = QPushButton(text, parent)
    button.setObjectName(name)
    button.setAutoDefault(False)
    if act is not None:
        button.clicked.connect(lambda _checked=False: act())
    return button


def small_button(text: str, name: str, parent: QWidget, kind: str = "") -> QPushButton:
    """A compact button; `kind` as the stylesheet names it."""
    button = push_button(text, name, parent)
    button.setProperty("compact", "true")
    if kind:
        button.setProperty("kind", kind)
    return button
