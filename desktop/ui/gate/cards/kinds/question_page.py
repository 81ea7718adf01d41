"""One question on its page: text, options, a field for something else, and a preview of the option looked at."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QSizePolicy, QVBoxLayout, QWidget

from desktop.domain.display.text import prose_text
from desktop.domain.gate.pending import Option, Question, QuestionRequest, is_ours
from desktop.language import said, tr
from desktop.ui.gate.cards.drafts import CardDrafts
from desktop.ui.gate.cards.evidence.prose import ProseView
from desktop.ui.gate.cards.option_row import AnswerOption, choose_one
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1, SPACE_2
from desktop.ui.widgets.card_parts import plain_label

_FIELD_LINES = 3.5


def in_language(request: QuestionRequest, question: Question) -> Question:
    """A question of the program in the language of the window; one of an agent stays as it was asked."""
    if not is_ours(request):
        return question
    options = tuple(
        one.model_copy(update={"label": said(one.label), "description": said(one.description)})
        for one in question.options
    )
    return question.model_copy(update={"text": said(question.text), "options": options})


class QuestionPage(QWidget):
    """Holds the answer to one question; `changed` follows every change. Nothing is chosen to begin with.

    What is chosen or typed is kept as a draft, except for a secret. `looked_into`: an option was chosen or has the
    focus, and its preview is shown (option, preview); `looked_away`: another one is shown, of what lies under the
    pointer.
    """

    changed = Signal()
    looked_into = Signal(QWidget, QWidget)
    looked_away = Signal()
    reshaped = Signal()

    def __init__(self, question: Question, place: tuple[str, int], drafts: CardDrafts, parent: QWidget) -> None:
        super().__init__(parent)
        self.question = question
        self._input_id, self._index = place
        self._drafts = drafts
        self.rows: list[AnswerOption] = []
        self._other_row: AnswerOption | None = None
        self.field: QLineEdit | QPlainTextEdit | None = None
        self._preview: ProseView | None = None
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(theme().px(SPACE_2))
        self._add_texts()
        self._add_options()
        self._add_field()
        if any(option.preview for option in question.options):
            self._preview = ProseView(self, "question_preview", tr("Preview of the option"))
            self._preview.hide()
            self._column.addWidget(self._preview)
        self._restore()

    @property
    def values(self) -> tuple[str, ...]:
        """The answer so far: values of chosen options, then what was typed."""
        options = self.question.options
        chosen = [option.value for option, row in zip(options, self.rows, strict=False) if row.button.isChecked()]
        typed = self._typed()
        if typed and (self._other_row is None or self._other_row.button.isChecked()):
            chosen.append(typed)
        return tuple(chosen)

    @property
    def is_answered(self) -> bool:
        """Whether it may be sent as it is."""
        return bool(self.values) or not self.question.required

    @property
    def secret(self) -> str:
        """What is typed in the field of a secret question; "" in any other."""
        return self._typed() if self.question.secret else ""

    def set_secret(self, text: str) -> None:
        """Type it again."""
        if self.question.secret and text:
            self._set_typed(text)

    def choose(self, number: int) -> None:
        """Choose, or with tick boxes turn around, the option of that number, counted from 1."""
        if 0 < number <= len(self.rows):
            self.rows[number - 1].button.click()

    def clear(self) -> None:
        """Take back every choice and text."""
        for row in self.rows:
            row.button.setChecked(False)
        self._set_typed("")

    def focus_parts(self) -> list[QWidget]:
        """What Tab goes through."""
        parts: list[QWidget] = [row.button for row in self.rows]
        return [*parts, *(part for part in (self.field, self._preview) if part is not None)]

    def _add_texts(self) -> None:
        text = plain_label(self, "strong", "question_text")
        text.setText(prose_text(self.question.text, multiline=True))
        self._column.addWidget(text)
        for words, value in (("", self.question.impact), (tr("If you skip: "), self.question.default_assumption)):
            if value:
                line = plain_label(self, "muted")
                line.setText(words + prose_text(value, multiline=True))
                self._column.addWidget(line)

    def _add_options(self) -> None:
        if not self.question.options:
            return
        box = QWidget(self)
        box.setObjectName("question_options")
        box.setAccessibleName(prose_text(self.question.text))
        self._options = QVBoxLayout(box)
        self._options.setContentsMargins(0, 0, 0, 0)
        self._options.setSpacing(theme().px(SPACE_1))
        for number, option in enumerate(self.question.options, start=1):
            texts = (prose_text(option.label), prose_text(option.description, multiline=True))
            row = self._add_row(texts, f"question_option_{number}", box)
            if option.recommended:
                row.add_tag(tr("Recommended"))
            row.looked_at.connect(lambda shown=option, of=row: self._look_at(shown, of))
            row.chosen.connect(lambda on, shown=option, of=row: self._look_at(shown, of) if on else None)
        self._column.addWidget(box)

    def _add_row(self, texts: tuple[str, str], name: str, box: QWidget) -> AnswerOption:
        row = AnswerOption(texts, name, box, several=self.question.multi_select)
        row.chosen.connect(lambda checked, chosen=row: self._option_changed(chosen, checked))
        self._options.addWidget(row)
        self.rows.append(row)
        return row

    def _add_field(self) -> None:
        question = self.question
        if question.options and question.freeform:
            self._other_row = self._add_row((tr("Something else"), ""), "question_other_choice", self)
            self.field = QLineEdit(self._other_row)
            self.field.setPlaceholderText(tr("Say what instead"))
            self._other_row.words.addSpacing(theme().px(SPACE_1))
            self._other_row.words.addWidget(self.field)
            self._other_row.words.addSpacing(theme().px(SPACE_1))
        elif question.secret:
            self.field = QLineEdit(self)
            self.field.setEchoMode(QLineEdit.EchoMode.Password)
            self._column.addWidget(self.field)
        elif not question.options:
            self.field = QPlainTextEdit(self)
            self.field.setTabChangesFocus(True)
            self.field.setFixedHeight(round(self.field.fontMetrics().lineSpacing() * _FIELD_LINES))
            self._column.addWidget(self.field)
        if self.field is None:
            return
        if question.secret and isinstance(self.field, QLineEdit):
            self.field.setEchoMode(QLineEdit.EchoMode.Password)
        self.field.setObjectName("question_secret" if question.secret else "question_other")
        self.field.setAccessibleName(tr("Something else") if question.options else tr("Your answer"))
        self.field.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.field.textChanged.connect(self._text_changed)

    def _typed(self) -> str:
        if isinstance(self.field, QPlainTextEdit):
            return self.field.toPlainText().strip()
        return self.field.text().strip() if self.field is not None else ""

    def _set_typed(self, text: str) -> None:
        if isinstance(self.field, QPlainTextEdit):
            self.field.setPlainText(text)
        elif self.field is not None:
            self.field.setText(text)

    def _restore(self) -> None:
        if self.question.secret:
            return
        chosen = self._drafts.choices(self._input_id, f"choice_{self._index}")
        typed = self._drafts.text(self._input_id, f"other_{self._index}")
        for option, row in zip(self.question.options, self.rows, strict=False):
            row.button.setChecked(option.value in chosen)
        if typed:
            self._set_typed(typed)
        if self._other_row is not None and chosen and typed not in chosen:
            self._other_row.button.setChecked(False)

    def _option_changed(self, row: AnswerOption, checked: bool) -> None:
        if checked and not self.question.multi_select:
            choose_one(self.rows, row)
        if checked and row is self._other_row and self.field is not None and row.button.hasFocus():
            self.field.setFocus()
        self._keep()

    def _text_changed(self) -> None:
        if self._other_row is not None:
            self._other_row.button.setChecked(bool(self._typed()))
        self._keep()

    def _keep(self) -> None:
        if not self.question.secret:
            self._drafts.keep_choices(self._input_id, f"choice_{self._index}", self.values)
            self._drafts.keep_text(self._input_id, f"other_{self._index}", self._typed())
        self.changed.emit()

    def _look_at(self, option: Option, row: AnswerOption) -> None:
        if self._preview is None:
            return
        self.looked_away.emit()
        self._preview.show_text(option.preview, markdown=option.preview_format == "markdown")
        self._preview.setVisible(bool(option.preview))
        self.reshaped.emit()
        if option.preview and (row.button.isChecked() or row.button.hasFocus()):
            self.looked_into.emit(row, self._preview)
