"""SkillView: a skill before it is installed: where it is from, what to look at, and every file of it."""

import re

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from desktop.domain.display.surfaces import path_text
from desktop.domain.display.text import display_text
from desktop.domain.skills.review import ReviewFile, SkillReview
from desktop.language import said, tr
from desktop.ui.gate.cards.evidence.evidence import show_lines
from desktop.ui.text import format as fmt
from desktop.ui.text.safe_text import code_text
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_2
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.fact_list import FactList
from desktop.ui.widgets.layouts.gaps import set_gaps
from desktop.ui.widgets.text_box import TextBox

_ROWS, _LINES, _FEW_LINES = 5, 14, 4
_CHANGES = {"new": tr("new"), "changed": tr("changed")}
_NO_TEXT = tr("This file cannot be shown here: {note}. Open the folder it comes from to look at it.")
_KEY_ROLE = Qt.ItemDataRole.UserRole + 1
_DIFFERENCE = -1


_IN_LANE = re.compile(r"(?P<place>[^/:][^:]*) of the lane (?P<name>.+)")
"""The source of a skill of a lane, which an agent proposed; addresses and folders of this computer are none."""


class SkillView(QWidget):
    """Choosing a file shows it whole; the difference from what was accepted before stands first, if there is one."""

    def __init__(self, review: SkillReview, parent: QWidget) -> None:
        super().__init__(parent)
        self._review = review
        self.setObjectName("skill_view")
        about = plain_label(self, name="skill_about")
        say(about, display_text(review.description))
        source = plain_label(self, "muted", "skill_source")
        commit = tr(", commit {commit}", commit=display_text(review.commit)) if review.commit else ""
        source.setText(tr("From {source}{commit}", source=display_text(_source(review.source)), commit=commit))
        digest = plain_label(self, "caption", "skill_sha256")
        digest.setText(tr("All files together: SHA-256 {sha256}", sha256=review.sha256))
        self._problem = plain_label(self, "strong", "skill_problem", role="danger")
        say(self._problem, display_text(said(review.problem)))
        marks = FactList("skill_marks", tr("What to look at"), ("triangle-alert", "warning"), self)
        marks.show_lines([display_text(mark) for mark in _marks(review)])
        self.files = self._make_list()
        self.text = TextBox("skill_text", tr("The chosen file"), self)
        self._file = plain_label(self, "caption", "skill_file")
        column = QVBoxLayout(self)
        set_gaps(column, (0, 0, 0, 0), SPACE_2)
        for widget in (about, source, digest, self._problem, marks, self.files, self._file):
            column.addWidget(widget)
        column.addWidget(self.text, 1)
        self.set_lines(_LINES)
        self._fill()
        theme().changed.connect(self._show)

    def set_lines(self, lines: int) -> None:
        """Let the text of a file be so many lines high at the least."""
        self.text.setMinimumHeight(max(lines, _FEW_LINES) * self.text.fontMetrics().lineSpacing())

    def give_way(self, over: int) -> None:
        """Be so many pixels lower than with all lines, down to a few."""
        line = self.text.fontMetrics().lineSpacing()
        self.set_lines(_LINES - (over + line - 1) // line)

    def _fill(self) -> None:
        if self._review.difference:
            self._row(tr("Difference from what was accepted before"), _DIFFERENCE)
        for at, file in enumerate(self._review.files):
            self._row(_line(file), at)
        self.files.ensurePolished()
        heights = [self.files.sizeHintForRow(row) for row in range(min(_ROWS, self.files.count()))]
        self.files.setFixedHeight(max(1, sum(heights)) + 2 * self.files.frameWidth())
        names = [file.path for file in self._review.files]
        first = 0 if self._review.difference else names.index("SKILL.md") if "SKILL.md" in names else 0
        self.files.setCurrentRow(first)

    def _row(self, text: str, key: int) -> None:
        QListWidgetItem(text, self.files).setData(_KEY_ROLE, key)

    def _show(self) -> None:
        item = self.files.currentItem()
        key = item.data(_KEY_ROLE) if item is not None else None
        if key == _DIFFERENCE:
            self._file.setText(tr("− what was accepted before, + what is here now"))
            show_lines(self.text, code_text(self._review.difference), diff=True)
        elif key is not None:
            file = self._review.files[key]
            self._file.setText(tr("{path} · SHA-256 {sha256}", path=path_text(file.path), sha256=file.sha256))
            text = code_text(file.text) if file.text is not None else _NO_TEXT.format(note=file.note)
            show_lines(self.text, text, diff=False)

    def _make_list(self) -> QListWidget:
        files = QListWidget(self)
        files.setObjectName("skill_files")
        files.setProperty("kind", "rows")
        files.setAccessibleName(tr("Files of the skill"))
        files.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        files.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        files.currentRowChanged.connect(self._show)
        return files


def _marks(review: SkillReview) -> list[str]:
    """What a person should look at, and what it asks for, which grants nothing."""
    marks = [said(mark) for mark in review.marks]
    if review.tools:
        marks.append(tr("It names tools, which allows nothing: {tools}.", tools=", ".join(review.tools)))
    if review.removed:
        marks.append(tr("Not there any more: {removed}.", removed=", ".join(review.removed)))
    return marks


def _line(file: ReviewFile) -> str:
    facts = [path_text(file.path), fmt.size(file.size)]
    facts += [tr("script")] if file.script else []
    facts += [tr("can be run")] if file.executable else []
    facts += [_CHANGES[file.change]] if file.change in _CHANGES else []
    return " · ".join(facts)


def _source(source: str) -> str:
    found = _IN_LANE.fullmatch(source)
    return tr("{place} of the lane {name}", place=found["place"], name=found["name"]) if found else source
