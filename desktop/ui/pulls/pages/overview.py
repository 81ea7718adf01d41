"""PullOverview: what a request is about: its body as safe Markdown, and title and body to edit with a preview."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QStackedWidget, QWidget

from desktop.domain.display.text import display_text
from desktop.domain.pulls.commands import EditPullRequest
from desktop.domain.pulls.pull_request import PullSnapshot
from desktop.language import tr
from desktop.ui.pulls.page import PullPage
from desktop.ui.pulls.pages.body import PullProse
from desktop.ui.pulls.pages.pictures import PictureRows
from desktop.ui.pulls.parts import column_in, line_of
from desktop.ui.pulls.pull_orders import same_words
from desktop.ui.pulls.shown import ShownPull
from desktop.ui.pulls.words import VERDICTS
from desktop.ui.text.format import changed_lines, clock_time, count, local_date
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_2, SPACE_3
from desktop.ui.widgets.buttons.off import UNDER_WAY, set_off
from desktop.ui.widgets.buttons.push_button import small_button
from desktop.ui.widgets.buttons.segmented import Segmented
from desktop.ui.widgets.card_parts import BodyScroll, plain_label, say
from desktop.ui.widgets.layouts.gaps import set_gaps

NO_BODY = tr("No description.")


class PullOverview(PullPage):
    """Reading or editing. What is being edited stays when newer snapshots come, and when saving fails."""

    key, label, letter = "overview", tr("Overview"), Qt.Key.Key_O

    def __init__(self, shown: ShownPull, parent: QWidget) -> None:
        super().__init__(shown, parent)
        self._stack = QStackedWidget(self)
        column_in(self, self._stack)
        self._number, self._seen_body = 0, ""
        self._reading = _Reading(shown, self)
        self._editing = _Editing(self)
        self._stack.addWidget(self._reading)
        self._stack.addWidget(self._editing)
        self._editing.save.clicked.connect(self._save)
        self._editing.cancel.clicked.connect(self.leave)
        shown.orders.changed.connect(self.refresh)

    def refresh(self) -> None:
        """Show what is known."""
        snapshot = self._shown.snapshot
        pull = snapshot.pull if snapshot is not None else None
        if snapshot is None or pull is None:
            return
        if pull.number != self._number:
            self._number = pull.number
            self.leave()
        self._reading.show_snapshot(snapshot)
        self._editing.set_busy(self._shown.orders.is_busy("edit"), self._shown.hindrance())

    def edit(self) -> None:
        """Let a person change title and body."""
        pull = self._shown.pull
        if pull is None or self._stack.currentWidget() is self._editing:
            return
        self._seen_body = pull.body
        self._editing.begin(pull.title, pull.body)
        self._stack.setCurrentWidget(self._editing)
        self._editing.title.setFocus()

    def leave(self) -> None:
        """Read again; what was changed and not saved is gone."""
        self._editing.fail("")
        self._stack.setCurrentWidget(self._reading)

    def _save(self) -> None:
        pull, title, body = self._shown.pull, self._editing.title.text().strip(), self._editing.body.toPlainText()
        if pull is None:
            return
        if not title:
            self._editing.fail(tr("A pull request needs a title."))
            return
        command = EditPullRequest(lane_id=self._shown.lane_id, title=title, body=body, seen_body=self._seen_body)

        def landed(snapshot: PullSnapshot) -> bool:
            now = snapshot.pull
            return now is not None and same_words(now.title, title) and same_words(now.body, body)

        self._editing.fail("")
        self._shown.orders.give(command, "edit", landed, self._on_saved)
        self.refresh()

    def _on_saved(self, problem: str) -> None:
        if problem:
            self._editing.fail(problem)
        else:
            self.leave()


class _Reading(QWidget):
    """Facts and the body."""

    def __init__(self, shown: ShownPull, parent: QWidget) -> None:
        super().__init__(parent)
        self._scroll = BodyScroll(self, "canvas")
        self._scroll.setAccessibleName(tr("Description"))
        self._facts = plain_label(self, "caption", "pr_facts")
        self._people = plain_label(self, "caption", "pr_people")
        self._nothing = plain_label(self, "muted", "pr_no_body")
        self.body = PullProse(self, "pr_body_text", tr("Description of the pull request"))
        self.body.link_asked.connect(shown.link_asked)
        self._pictures = PictureRows(shown.pictures, self)
        self._pictures.link_asked.connect(shown.link_asked)
        for part in (self._facts, self._people, self._nothing, self.body, self._pictures):
            self._scroll.column.addWidget(part)
        self._scroll.column.addStretch(1)
        set_gaps(self._scroll.column, (SPACE_3, SPACE_3, SPACE_3, SPACE_3), SPACE_2)
        column_in(self, self._scroll)

    def show_snapshot(self, snapshot: PullSnapshot) -> None:
        """Show what a snapshot tells."""
        pull = snapshot.pull
        if pull is None:
            return
        figures = changed_lines(pull.additions, pull.deletions)
        facts = [f"{count(pull.changed_files, 'file')} {figures}".strip() if pull.changed_files else ""]
        facts += [count(len(snapshot.commits), "commit") if snapshot.commits else ""]
        facts += [", ".join(display_text(label) for label in pull.labels)]
        if pull.merged_at is not None:
            facts.append(
                tr(
                    "merged {date}, {time}",
                    date=local_date(pull.merged_at),
                    time=clock_time(pull.merged_at),
                )
            )
        say(self._facts, " · ".join(fact for fact in facts if fact))
        say(self._people, _people(snapshot))
        say(self._nothing, "" if pull.body.strip() else NO_BODY)
        self.body.show_text(pull.body)
        self._pictures.show_text(pull.body)
        self.body.setVisible(bool(pull.body.strip()))


class _Editing(QWidget):
    """Fields for title and body, and what the body will look like."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.title = QLineEdit(self)
        self.title.setObjectName("pr_edit_title")
        self.title.setAccessibleName(tr("Title"))
        self._choice = Segmented(
            "pr_edit_view",
            tr("Write or preview"),
            [("write", tr("Write")), ("preview", tr("Preview"))],
            self,
            compact=True,
        )
        self.body = QPlainTextEdit(self)
        self.body.setObjectName("pr_edit_body")
        self.body.setAccessibleName(tr("Description, Markdown"))
        self.body.setTabChangesFocus(True)
        self.body.document().setDocumentMargin(theme().px(SPACE_2))
        self._scroll = BodyScroll(self, "canvas")
        self.preview = PullProse(self, "pr_edit_preview", tr("Preview"))
        self._scroll.column.addWidget(self.preview)
        self._scroll.column.addStretch(1)
        self._stack = QStackedWidget(self)
        self._stack.addWidget(self.body)
        self._stack.addWidget(self._scroll)
        self._problem = plain_label(self, name="pr_edit_problem", role="danger")
        self.cancel = small_button(tr("Cancel"), "pr_edit_cancel", self)
        self.save = small_button(tr("Save"), "pr_edit_save", self, "primary")
        buttons = line_of(margins=(0, 0, 0, 0))
        buttons.addStretch(1)
        buttons.addWidget(self.cancel)
        buttons.addWidget(self.save)
        margins = (SPACE_3, SPACE_3, SPACE_3, SPACE_3)
        column = column_in(self, self.title, self._choice, self._stack, margins=margins)
        column.addWidget(self._problem)
        column.addLayout(buttons)
        self._choice.chosen.connect(self._show)
        self._show("write")
        self.fail("")

    def begin(self, title: str, body: str) -> None:
        """Edit these."""
        self.title.setText(title)
        self.body.setPlainText(body)
        self._show("write")
        self.body.moveCursor(QTextCursor.MoveOperation.Start)

    def fail(self, problem: str) -> None:
        """Say why it was not saved, "" for nothing."""
        say(self._problem, display_text(problem))

    def set_busy(self, busy: bool, why: str) -> None:
        """Whether it is being saved, and why it cannot be."""
        self.save.setText(tr("Saving…") if busy else tr("Save"))
        set_off(self.save, why or (UNDER_WAY if busy else ""))

    def _show(self, value: str) -> None:
        self._choice.set_value(value)
        self.preview.show_text(self.body.toPlainText() or NO_BODY)
        self._stack.setCurrentWidget(self.body if value == "write" else self._scroll)


def _people(snapshot: PullSnapshot) -> str:
    """Who reviewed it and who is asked: "mona approved · hubot is asked"."""
    latest: dict[str, str] = {}
    for review in snapshot.reviews:
        if review.verdict in ("approved", "changes_requested"):
            latest[display_text(review.author.login)] = VERDICTS[review.verdict][0]
    words = [tr("{name} {verdict}", name=name, verdict=verdict) for name, verdict in latest.items()]
    asked = snapshot.pull.reviewers if snapshot.pull is not None else ()
    words += [tr("{name} is asked for a review", name=display_text(name)) for name in asked]
    return " · ".join(words)
