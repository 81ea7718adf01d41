"""Editing a call on its card: one field for each argument a person may change, and what the check said."""

import difflib

from pydantic import JsonValue
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from desktop.domain.commands import CheckEdit
from desktop.domain.display.text import display_text
from desktop.domain.gate.pending import ApprovalRequest, EditField
from desktop.domain.updates import EditChecked
from desktop.language import said, tr
from desktop.records import dataclass
from desktop.ui.gate.cards.card import InputCard
from desktop.ui.gate.cards.evidence.evidence import EvidencePiece
from desktop.ui.gate.cards.kinds.edit_controls import EditControl, as_text, field_name, make_control
from desktop.ui.text.format import changed_lines
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1
from desktop.ui.widgets.card_parts import plain_label, say

_DIFF_LINES = 4_000


def edit_pieces(before: dict[str, JsonValue], after: dict[str, JsonValue]) -> tuple[EvidencePiece, ...]:
    """What a person changed, argument by argument, as differences from the agent's version."""
    pieces = []
    for name in after:
        old, new = as_text(before.get(name)), as_text(after[name])
        if old == new:
            continue
        old_lines, new_lines = old.split("\n"), new.split("\n")
        if len(old_lines) + len(new_lines) > _DIFF_LINES:
            lines = [*(f"-{line}" for line in old_lines), *(f"+{line}" for line in new_lines)]
        else:
            lines = list(difflib.unified_diff(old_lines, new_lines, lineterm=""))[2:]
        added, removed = (sum(line.startswith(sign) for line in lines) for sign in "+-")
        caption = tr("{name}, your change  {added}", name=field_name(name), added=changed_lines(added, removed))
        pieces.append(EvidencePiece("\n".join(lines), caption, diff=True))
    return tuple(pieces)


@dataclass(frozen=True)
class _Field:
    control: EditControl
    problem: QLabel

    @property
    def name(self) -> str:
        return self.control.field.name


class EditPane(QWidget):
    """A control for each argument. `edited`: what stands in them differs now from what it did."""

    edited = Signal()

    def __init__(self, card: InputCard, request: ApprovalRequest) -> None:
        super().__init__(card.body.contents)
        self._card, self._arguments = card, request.arguments
        self._fields: list[_Field] = []
        self.checking = False
        self.setObjectName("approval_edit_pane")
        self.setAccessibleName(tr("Edit this call"))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme().px(SPACE_1))
        known = {field.name: field for field in request.fields}
        for name in request.editable:
            self._add(known.get(name, _unknown(name, request.arguments.get(name))), column)
        self._problem = plain_label(self, name="approval_edit_refused", role="danger")
        say(self._problem, "")
        column.addWidget(self._problem)

    @property
    def first(self) -> QWidget:
        """The field that takes the focus first."""
        return self._fields[0].control.focus

    @property
    def changed(self) -> bool:
        """Whether anything differs from what the card shows."""
        return any(field.control.changed for field in self._fields)

    def check(self) -> bool:
        """Ask how the call would be judged like this; False where a field holds no value of its kind."""
        edited = dict(self._arguments)
        fine = True
        for field in self._fields:
            say(field.problem, "")
            if not field.control.changed:
                continue
            try:
                edited[field.name] = field.control.value()
            except ValueError as error:
                say(field.problem, str(error))
                fine = False
            field.control.mark(invalid=not field.problem.isHidden())
        say(self._problem, "")
        if fine:
            item = self._card.item
            self.checking = True
            self._card.wanted.emit(CheckEdit(session_id=item.session_id, input_id=item.input_id, edited_input=edited))
        return fine

    def take(self, checked: EditChecked) -> None:
        """Say why the call cannot run like this: under its field if it is known, else under all."""
        self.checking = False
        text = display_text(said(checked.problem), multiline=True)
        field = next((field for field in self._fields if field.name == checked.field), None)
        say(field.problem if field is not None else self._problem, text)
        if field is not None:
            field.control.mark(invalid=True)
        self.updateGeometry()  # the card measures itself before the event comes that would say so

    def refuse(self, sentence: str) -> None:
        """The check itself could not be made."""
        self.checking = False
        say(self._problem, sentence)

    def forget(self) -> None:
        """Take back what was typed, here and in the drafts."""
        for field in self._fields:
            field.control.reset()
            self._card.context.drafts.keep_text(self._card.item.input_id, f"edit_{field.name}", "")
            say(field.problem, "")
            field.control.mark(invalid=False)
        say(self._problem, "")

    def widgets(self) -> list[QWidget]:
        """What Tab goes through."""
        return [field.control.focus for field in self._fields]

    def _add(self, said: EditField, column: QVBoxLayout) -> None:
        control = make_control(said, self._arguments.get(said.name), self)
        if not control.labelled:
            label, words = plain_label(self, "caption"), field_name(said.name)
            label.setText(words)
            column.addWidget(label)
        draft = self._card.context.drafts.text(self._card.item.input_id, f"edit_{said.name}")
        if draft:
            control.put(draft)
        problem = plain_label(self, name="approval_edit_error", role="danger")
        say(problem, "")
        field = _Field(control, problem)
        control.typed.connect(lambda: self._on_typed(field))
        column.addWidget(control.widget)
        column.addWidget(problem)
        column.addSpacing(theme().px(SPACE_1))
        self._fields.append(field)

    def _on_typed(self, field: _Field) -> None:
        kept = field.control.text if field.control.changed else ""
        self._card.context.drafts.keep_text(self._card.item.input_id, f"edit_{field.name}", kept)
        self.edited.emit()


def _unknown(name: str, value: JsonValue) -> EditField:
    """A request of an earlier version does not say how its arguments are typed."""
    return EditField(name=name, kind="text" if isinstance(value, str | None) else "json")
