"""Editing a call on its card: one field for each argument a person may change, and what the check said."""

import difflib
import json
from dataclasses import dataclass

from pydantic import JsonValue
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QVBoxLayout, QWidget

from desktop.domain.commands import CheckEdit
from desktop.domain.display import display_text
from desktop.domain.pending import ApprovalRequest
from desktop.domain.updates import EditChecked
from desktop.ui.format import changed_lines
from desktop.ui.theme.stylesheet import restyle
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1, SPACE_2, SPACE_3
from desktop.ui.views.cards.card import Card
from desktop.ui.views.cards.evidence import Piece
from desktop.ui.views.cards.parts import plain_label, say

_NAMES = {
    "command": "Command", "sql": "Statement", "content": "Content", "new_string": "New text", "body": "Text",
    "title": "Title", "message": "Message",
}  # fmt: skip
_LONG = frozenset({"command", "sql", "content", "new_string", "body", "message"})
_LEAST_LINES, _MOST_LINES, _DIFF_LINES = 2, 10, 4_000
NO_VALUE = "This is no value of that kind."


def field_name(argument: str) -> str:
    """An argument as people read it."""
    return _NAMES.get(argument) or display_text(argument.replace("_", " ")).capitalize()


def edit_pieces(before: dict[str, JsonValue], after: dict[str, JsonValue]) -> tuple[Piece, ...]:
    """What a person changed, argument by argument, as differences from the agent's version."""
    pieces = []
    for name in after:
        old, new = _as_text(before.get(name)), _as_text(after[name])
        if old == new:
            continue
        old_lines, new_lines = old.split("\n"), new.split("\n")
        if len(old_lines) + len(new_lines) > _DIFF_LINES:
            lines = [*(f"-{line}" for line in old_lines), *(f"+{line}" for line in new_lines)]
        else:
            lines = list(difflib.unified_diff(old_lines, new_lines, lineterm=""))[2:]
        added, removed = (sum(line.startswith(sign) for line in lines) for sign in "+-")
        caption = f"{field_name(name)}, your change  {changed_lines(added, removed)}"
        pieces.append(Piece("\n".join(lines), caption, diff=True))
    return tuple(pieces)


def _as_text(value: JsonValue) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


@dataclass(frozen=True)
class _Field:
    name: str
    original: JsonValue
    edit: QPlainTextEdit
    problem: QLabel


class EditPane(QWidget):
    """Fields with the raw text. `edited`: what stands in them differs now from what it did."""

    edited = Signal()

    def __init__(self, card: Card, request: ApprovalRequest) -> None:
        super().__init__(card.body.contents)
        self._card, self._arguments = card, request.arguments
        self._fields: list[_Field] = []
        self.checking = False
        self.setObjectName("approval_edit_pane")
        self.setAccessibleName("Edit this call")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme().px(SPACE_1))
        for name in request.editable:
            self._add(name, column)
        self._problem = plain_label(self, name="approval_edit_refused", role="danger")
        say(self._problem, "")
        column.addWidget(self._problem)

    @property
    def first(self) -> QWidget:
        """The field that takes the focus first."""
        return self._fields[0].edit

    @property
    def changed(self) -> bool:
        """Whether anything differs from what the card shows."""
        return any(self._text(field) != _as_text(field.original) for field in self._fields)

    def check(self) -> bool:
        """Ask how the call would be judged like this; False where a field holds no value of its kind."""
        edited = dict(self._arguments)
        fine = True
        for field in self._fields:
            say(field.problem, "")
            text = self._text(field)
            if text == _as_text(field.original):
                continue
            try:
                edited[field.name] = text if isinstance(field.original, str | None) else json.loads(text)
            except ValueError:
                say(field.problem, NO_VALUE)
                fine = False
            restyle(field.edit, invalid="true" if not field.problem.isHidden() else "")
        say(self._problem, "")
        if fine:
            item = self._card.item
            self.checking = True
            self._card.wanted.emit(
                CheckEdit(session_id=item.session_id, input_id=item.input_id, edited_input=edited)
            )  # fmt: skip
        return fine

    def take(self, checked: EditChecked) -> None:
        """Say why the call cannot run like this: under its field if it is known, else under all."""
        self.checking = False
        text = display_text(checked.problem, multiline=True)
        field = next((field for field in self._fields if field.name == checked.field), None)
        say(field.problem if field is not None else self._problem, text)
        if field is not None:
            restyle(field.edit, invalid="true")

    def refuse(self, sentence: str) -> None:
        """The check itself could not be made."""
        self.checking = False
        say(self._problem, sentence)

    def forget(self) -> None:
        """Take back what was typed, here and in the drafts."""
        for field in self._fields:
            field.edit.setPlainText(_as_text(field.original))
            field.edit.document().setModified(False)
            self._card.context.drafts.keep_text(self._card.item.input_id, f"edit_{field.name}", "")
            say(field.problem, "")
            restyle(field.edit, invalid="")
        say(self._problem, "")

    def widgets(self) -> list[QWidget]:
        """What Tab goes through."""
        return [field.edit for field in self._fields]

    def _add(self, name: str, column: QVBoxLayout) -> None:
        label = plain_label(self, "caption")
        label.setText(field_name(name))
        edit = QPlainTextEdit(self)
        edit.setObjectName("approval_edit_field")
        edit.setProperty("item_id", name)
        edit.setAccessibleName(field_name(name))
        edit.setTabChangesFocus(True)
        edit.setProperty("kind", "edit")
        edit.setFont(theme().mono() if name in _LONG - {"body", "message"} else theme().font())
        problem = plain_label(self, name="approval_edit_error", role="danger")
        say(problem, "")
        field = _Field(name, self._arguments.get(name), edit, problem)
        drafts, input_id = self._card.context.drafts, self._card.item.input_id
        original = _as_text(field.original)
        draft = drafts.text(input_id, f"edit_{name}")
        edit.setPlainText(draft or original)
        edit.document().setModified(bool(draft) and draft != original)
        edit.setFixedHeight(self._height(name, edit))
        edit.textChanged.connect(lambda: self._on_typed(field))
        for part in (label, edit, problem):
            column.addWidget(part)
        column.addSpacing(theme().px(SPACE_1))
        self._fields.append(field)

    def _height(self, name: str, edit: QPlainTextEdit) -> int:
        least = _LEAST_LINES + 1 if name in _LONG else 1
        lines = min(_MOST_LINES, max(least, edit.blockCount()))
        return lines * edit.fontMetrics().lineSpacing() + theme().px(SPACE_2 + SPACE_3)

    def _on_typed(self, field: _Field) -> None:
        text = self._text(field)
        kept = text if text != _as_text(field.original) else ""
        self._card.context.drafts.keep_text(self._card.item.input_id, f"edit_{field.name}", kept)
        self.edited.emit()

    def _text(self, field: _Field) -> str:
        """What stands in the field. What was not touched is the original to the letter: Qt's text loses some."""
        document = field.edit.document()
        original = _as_text(field.original)
        if not document.isModified():
            return original
        text = document.toRawText().replace("\u2029", "\n")
        crlf = original.count("\r\n")
        return text.replace("\n", "\r\n") if crlf and crlf == original.count("\n") else text
