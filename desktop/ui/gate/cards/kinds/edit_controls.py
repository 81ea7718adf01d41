"""What a person types an argument into: a text, a number, a tick or a choice, and what each says of a bad value."""

import json
import math

from pydantic import JsonValue
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QComboBox, QLineEdit, QPlainTextEdit, QWidget

from desktop.domain.display.text import display_text
from desktop.domain.gate.pending import EditField
from desktop.language import said, separated, tr
from desktop.ui.gate.cards.option_row import AnswerOption
from desktop.ui.theme.stylesheet import restyle
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_2, SPACE_3

NAME = "approval_edit_field"
NO_VALUE = tr("This is no value of that kind.")
NOTHING = tr("(not set)")
_NAMES = {
    "command": tr("Command"),
    "sql": tr("Statement"),
    "content": tr("Content"),
    "new_string": tr("New text"),
    "body": tr("Text"),
    "title": tr("Title"),
    "message": tr("Message"),
    "timeout_ms": tr("Time limit in milliseconds"),
    "hosts": tr("Hosts it may reach (pypi.org .npmjs.org example.org:8080)"),
    "network": tr("Reach the network"),
}
LONG = frozenset({"command", "sql", "content", "new_string", "body", "message"})
_PROSE = frozenset({"body", "message"})
_LEAST_LINES, _MOST_LINES = 2, 10


def field_name(argument: str) -> str:
    """An argument as people read it."""
    return _NAMES.get(argument) or display_text(argument.replace("_", " ")).capitalize()


def as_text(value: JsonValue) -> str:
    """A value as it stands in a text field; "" for none."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


class EditControl(QObject):
    """One argument under edit. `typed`: a person changed what stands in it. `widget`: what is laid out; `focus`: what
    takes the keyboard. `labelled`: the widget shows the argument's name itself."""

    typed = Signal()
    labelled = False

    def __init__(self, field: EditField, original: JsonValue, parent: QWidget) -> None:
        super().__init__(parent)
        self.field = field
        self.original = original

    widget: QWidget
    focus: QWidget

    @property
    def text(self) -> str:
        """What stands in it, as text: what a draft keeps."""
        raise NotImplementedError

    @property
    def changed(self) -> bool:
        """Whether it differs from what the agent sent."""
        return self.text != as_text(self.original)

    def value(self) -> JsonValue:
        """The argument as it would be sent.

        Raises:
            ValueError: it is no value of its kind; the words are for the person.
        """
        raise NotImplementedError

    def put(self, text: str) -> None:
        """Show this text, as `text` gave it."""
        raise NotImplementedError

    def reset(self) -> None:
        """Show what the agent sent."""
        self.put(as_text(self.original))

    def mark(self, *, invalid: bool) -> None:
        """Draw it as one that holds a bad value, or not."""
        restyle(self.focus, invalid="true" if invalid else "")

    def _named(self, widget: QWidget) -> None:
        widget.setObjectName(NAME)
        widget.setProperty("item_id", self.field.name)
        widget.setAccessibleName(field_name(self.field.name))
        widget.setAccessibleDescription(display_text(said(self.field.about)))


class TextControl(EditControl):
    """Text, or JSON where the value is anything else. What was not touched is the original to the letter."""

    def __init__(self, field: EditField, original: JsonValue, parent: QWidget) -> None:
        super().__init__(field, original, parent)
        self._edit = QPlainTextEdit(parent)
        self.widget = self.focus = self._edit
        self._named(self._edit)
        self._edit.setTabChangesFocus(True)
        self._edit.setProperty("kind", "edit")
        self._edit.setFont(theme().mono() if field.name in LONG - _PROSE else theme().font())
        self.reset()
        self._edit.textChanged.connect(self.typed)

    @property
    def text(self) -> str:
        """The text; Qt's own loses some line ends, so an untouched one is not read from it."""
        document, original = self._edit.document(), as_text(self.original)
        if not document.isModified():
            return original
        text = document.toRawText().replace("\u2029", "\n")
        crlf = original.count("\r\n")
        return text.replace("\n", "\r\n") if crlf and crlf == original.count("\n") else text

    def value(self) -> JsonValue:
        """The text, or what it says as JSON."""
        if self.field.kind != "json":
            return self.text
        try:
            read: JsonValue = json.loads(self.text) if self.text.strip() or not self.field.optional else None
        except ValueError as error:
            raise ValueError(NO_VALUE) from error
        return read

    def put(self, text: str) -> None:
        """Show it in as many lines as it has, within bounds."""
        self._edit.setPlainText(text)
        self._edit.document().setModified(text != as_text(self.original))
        least = _LEAST_LINES + 1 if self.field.name in LONG else 1
        lines = min(_MOST_LINES, max(least, self._edit.blockCount()))
        self._edit.setFixedHeight(lines * self._edit.fontMetrics().lineSpacing() + theme().px(SPACE_2 + SPACE_3))


class NumberControl(EditControl):
    """A number, with its bounds said when it lies outside of them. Empty means none where that is allowed."""

    def __init__(self, field: EditField, original: JsonValue, parent: QWidget) -> None:
        super().__init__(field, original, parent)
        self._edit = QLineEdit(parent)
        self.widget = self.focus = self._edit
        self._named(self._edit)
        self._edit.setInputMethodHints(Qt.InputMethodHint.ImhFormattedNumbersOnly)
        self.reset()
        self._edit.textEdited.connect(self.typed)

    @property
    def text(self) -> str:
        """What was typed."""
        return self._edit.text()

    def value(self) -> JsonValue:
        """The number."""
        text = self.text.strip().replace(",", "")
        if not text and self.field.optional:
            return None
        try:
            number: int | float = int(text) if self.field.kind == "integer" else float(text)
        except ValueError as error:
            raise ValueError(self._bounds()) from error
        least, most = self.field.least, self.field.most
        below, above = least is not None and number < least, most is not None and number > most
        if below or above or not math.isfinite(number) or not text.isascii() or "_" in text:
            raise ValueError(self._bounds())
        return number

    def put(self, text: str) -> None:
        """Show these digits."""
        self._edit.setText(text)

    def _bounds(self) -> str:
        least, most = self.field.least, self.field.most
        words = tr("A whole number") if self.field.kind == "integer" else tr("A number")
        if least is not None and most is not None:
            return tr(
                "{words} from {least} to {most}.",
                words=words,
                least=separated(f"{least:,}"),
                most=separated(f"{most:,}"),
            )
        if least is not None:
            return tr("{words}, at least {least}.", words=words, least=separated(f"{least:,}"))
        return (
            tr("{words}, at most {most}.", words=words, most=separated(f"{most:,}"))
            if most is not None
            else f"{words}."
        )


class TickControl(EditControl):
    """Yes or no."""

    labelled = True

    def __init__(self, field: EditField, original: JsonValue, parent: QWidget) -> None:
        super().__init__(field, original, parent)
        self._row = AnswerOption((field_name(field.name), display_text(said(field.about))), NAME, parent, several=True)
        self.widget, self.focus = self._row, self._row.button
        self._named(self._row.button)
        self.reset()
        self._row.chosen.connect(lambda _on: self.typed.emit())

    @property
    def text(self) -> str:
        """`true` or `false`."""
        return as_text(self._row.button.isChecked())

    @property
    def changed(self) -> bool:
        """Nothing is as good as no."""
        return self._row.button.isChecked() is not bool(self.original)

    def value(self) -> JsonValue:
        """Whether it is ticked."""
        return self._row.button.isChecked()

    def put(self, text: str) -> None:
        """Tick it for `true`."""
        self._row.button.setChecked(text == as_text(True))


class ChoiceControl(EditControl):
    """One of the values that the tool knows, or none where that is allowed."""

    def __init__(self, field: EditField, original: JsonValue, parent: QWidget) -> None:
        super().__init__(field, original, parent)
        self._box = _QuietBox(parent)
        self.widget = self.focus = self._box
        self._named(self._box)
        self._values: tuple[str, ...] = ((as_text(None),) if field.optional else ()) + field.choices
        for value in self._values:
            self._box.addItem(display_text(value) or NOTHING)
        self.reset()
        self._box.currentIndexChanged.connect(lambda _index: self.typed.emit())

    @property
    def text(self) -> str:
        """The chosen value."""
        index = self._box.currentIndex()
        return self._values[index] if 0 <= index < len(self._values) else as_text(self.original)

    def value(self) -> JsonValue:
        """The chosen value, None for none."""
        return self.text or None

    def put(self, text: str) -> None:
        """Choose it, if the tool knows it."""
        self._box.setCurrentIndex(self._values.index(text) if text in self._values else -1)


class _QuietBox(QComboBox):
    """A box that the wheel does not change while it scrolls the card under the pointer."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave it to the card."""
        event.ignore()


def make_control(field: EditField, original: JsonValue, parent: QWidget) -> EditControl:
    """The control for an argument. Where its value is not of the kind that the schema says, it is typed as it is."""
    kind = field.kind
    if kind == "boolean" and (isinstance(original, bool) or original is None):
        return TickControl(field, original, parent)
    is_number = isinstance(original, int | float) and not isinstance(original, bool)
    if kind in ("integer", "number") and (is_number or original is None):
        return NumberControl(field, original, parent)
    if kind == "choice" and (original is None or original in field.choices):
        return ChoiceControl(field, original, parent)
    return TextControl(_as_it_is(field, original), original, parent)


def _as_it_is(field: EditField, original: JsonValue) -> EditField:
    kind = "text" if isinstance(original, str) or (original is None and field.kind != "json") else "json"
    return field.model_copy(update={"kind": kind})
