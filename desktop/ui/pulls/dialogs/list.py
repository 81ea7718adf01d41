"""PullListDialog: the open requests of the repository: mine, where my review is asked, those of lanes."""

from PySide6.QtCore import QModelIndex, Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QStackedWidget, QVBoxLayout, QWidget

from desktop.domain.core.ids import new_lane_id
from desktop.domain.display.text import display_text, prose_text
from desktop.domain.lanes.updates import LaneCreated
from desktop.domain.pulls.commands import ListPullRequests, OpenPullAsLane
from desktop.domain.pulls.pull_request import PullSummary
from desktop.domain.pulls.updates import PullRequestsListed
from desktop.domain.updates import CommandFailed
from desktop.language import tr
from desktop.ui.core.requests import Request, Requests, answer
from desktop.ui.core.sink import Clock
from desktop.ui.pulls.none import stand_of
from desktop.ui.pulls.parts import PullList
from desktop.ui.pulls.rows import PullRow, PullRows
from desktop.ui.pulls.words import STATES, author_name
from desktop.ui.text.format import age
from desktop.ui.text.waiting import Waiting
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_2, SPACE_3, SPACE_5
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.buttons.segmented import Segmented
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.dialogs.dialog import Dialog
from desktop.ui.widgets.layouts.gaps import set_gaps

_WIDTH, _HEIGHT, _AROUND = 640, 560, 60
_FILTERS = (("all", tr("All")), ("mine", tr("Mine")), ("review", tr("Review asked")), ("lanes", tr("In lanes")))
_NOTHING = {
    "all": tr("No open pull requests."),
    "mine": tr("None of them is yours."),
    "review": tr("Nobody asked for your review."),
    "lanes": tr("None of them belongs to a lane."),
}


class PullListDialog(Dialog):
    """Asks when it opens. `lane_wanted`: the lane of a request is to be shown; `link_asked`: an address. `owner`:
    of the repository, whose name is left out before branches."""

    lane_wanted = Signal(str)
    link_asked = Signal(str)

    def __init__(self, lane_id: str, requests: Requests, clock: Clock, parent: QWidget, owner: str = "") -> None:
        super().__init__(parent)
        self.setObjectName("pr_list_dialog")
        self.setWindowTitle(tr("Pull requests"))
        self._lane_id, self._requests, self._clock = lane_id, requests, clock
        self._owner = owner
        self._listed: PullRequestsListed | None = None
        self._problem = ""
        self._listing, self._opening = Request(), Request()
        self._value = "all"
        self._wait = Waiting(tr("Loading pull requests…"), tr("Still loading…"), self)
        heading = plain_label(self, "title")
        heading.setText(tr("Pull requests"))
        self._choice = Segmented("pr_list_filter", tr("Which pull requests"), list(_FILTERS), self)
        self._field = QLineEdit(self)
        self._field.setObjectName("pr_list_search")
        self._field.setAccessibleName(tr("Search pull requests"))
        self._field.setPlaceholderText(tr("Title, number, branch or author"))
        self.rows = PullRows(self)
        self.list = PullList(self.rows, "pr_list_rows", tr("Pull requests"), self)
        self.list.setProperty("kind", "list")
        self._words = plain_label(self, "muted", "pr_list_words")
        self._note = plain_label(self, "caption", "pr_list_note")
        self._error = plain_label(self, name="pr_list_problem", role="danger")
        self._again = push_button(tr("Refresh"), "pr_list_again", self)
        self._browser = push_button(tr("Open in the browser"), "pr_list_browser", self)
        self._close, self._go = (
            push_button(tr("Close"), "pr_list_close", self),
            push_button(tr("Open as lane"), "pr_list_open", self),
        )
        self._go.setProperty("kind", "primary")
        self._stack = QStackedWidget(self)
        self._lay_out(heading, parent)
        self._connect()
        self.ask()

    def ask(self) -> None:
        """Ask for the list."""
        command = ListPullRequests(lane_id=self._lane_id)
        self._problem = ""
        self._wait.begin()
        self._listing.drop()
        listed = answer(PullRequestsListed, self._on_listed)
        self._listing = self._requests.ask(command, self, listed, failed=self._on_not_listed)
        self._show()

    def _on_listed(self, update: PullRequestsListed) -> None:
        self._wait.end()
        self._listed, self._problem = update, ""
        if update.problem is not None:
            stand = stand_of(update.problem)
            self._problem = f"{stand.title} {stand.sentence}".strip()
        self._show()

    def _on_not_listed(self, failed: CommandFailed) -> None:
        self._wait.end()
        self._problem = display_text(failed.text)
        self._show()

    def _on_opened(self, update: LaneCreated) -> None:
        self.lane_wanted.emit(update.lane.id)
        self.accept()

    def _on_not_opened(self, failed: CommandFailed) -> None:
        say(self._error, display_text(failed.text))
        self._show()

    def _show(self, words: str = "") -> None:
        listed = self._listed
        shown = [one for one in listed.requests if self._passes(one)] if listed is not None else []
        now, kept = self._clock(), self.list.key
        ages = [age(one.updated_at, now) if one.updated_at else "" for one in shown]
        self.rows.set_rows([_row(one, when, self._owner) for one, when in zip(shown, ages, strict=True)])
        if not self.list.choose(kept):
            self.list.choose_first()
        text = self._field.text().strip()
        nothing = tr("Nothing matches “{words}”.", words=display_text(text)) if text else _NOTHING[self._value]
        waiting = listed is None and not self._problem
        self._words.setText(self._problem or (words if waiting else nothing))
        self._stack.setCurrentIndex(0 if shown else 1)
        say(self._note, tr("Only the first 1,000 were read.") if listed is not None and listed.capped else "")
        if listed is not None and self._problem and listed.requests:
            say(self._note, self._problem)
        self._refresh()

    def _refresh(self) -> None:
        one = self._chosen()
        none = tr("Choose a pull request.") if one is None else ""
        set_off(self._browser, none or ("" if one is not None and one.url else tr("Its address is not known.")))
        set_off(self._go, none or (tr("It is being opened.") if self._opening.is_waiting else ""))
        has_lane = one is not None and bool(one.lane_id)
        self._go.setText(
            tr("Opening…") if self._opening.is_waiting else tr("Show its lane") if has_lane else tr("Open as lane")
        )

    def _passes(self, one: PullSummary) -> bool:
        viewer = self._listed.viewer if self._listed is not None else ""
        kept = {
            "mine": bool(viewer) and one.author.login == viewer,
            "review": one.review_asked,
            "lanes": bool(one.lane_id),
        }.get(self._value, True)
        text = f"#{one.number} {one.title} {one.head} {one.author.login}".casefold()
        return kept and all(word in text for word in self._field.text().casefold().split())

    def _chosen(self) -> PullSummary | None:
        requests = self._listed.requests if self._listed is not None else ()
        return next((one for one in requests if f"pull:{one.number}" == self.list.key), None)

    def _on_filter(self, value: str) -> None:
        self._value = value
        self._choice.set_value(value)
        self._show()

    def _on_go(self) -> None:
        one = self._chosen()
        if one is None or self._opening.is_waiting:
            return
        if one.lane_id:
            self.lane_wanted.emit(one.lane_id)
            self.accept()
            return
        command = OpenPullAsLane(lane_id=self._lane_id, number=one.number, new_lane_id=new_lane_id())
        say(self._error, "")
        opened = answer(LaneCreated, self._on_opened)
        self._opening = self._requests.ask(command, self, opened, failed=self._on_not_opened)
        self._refresh()

    def _on_browser(self) -> None:
        one = self._chosen()
        if one is not None:
            self.link_asked.emit(one.url)

    def _lay_out(self, heading: QWidget, parent: QWidget) -> None:
        buttons = QHBoxLayout()
        set_gaps(buttons, spacing=SPACE_2)
        buttons.addWidget(self._again)
        buttons.addStretch(1)
        for button in (self._browser, self._close, self._go):
            buttons.addWidget(button)
        nothing = QWidget(self)
        inside = QVBoxLayout(nothing)
        set_gaps(inside, (SPACE_2, SPACE_3, SPACE_2, 0))
        inside.addWidget(self._words)
        inside.addStretch(1)
        self._stack.addWidget(self.list)
        self._stack.addWidget(nothing)
        layout = QVBoxLayout(self)
        set_gaps(layout, (SPACE_5, SPACE_5, SPACE_5, SPACE_5), SPACE_3)
        for part in (heading, self._choice, self._field, self._note):
            layout.addWidget(part)
        layout.addWidget(self._stack, 1)
        layout.addWidget(self._error)
        layout.addLayout(buttons)
        say(self._note, "")
        say(self._error, "")
        self._choice.set_value("all")
        px, window = theme().px, parent.window().size()
        self.resize(min(px(_WIDTH), window.width() - px(_AROUND)), min(px(_HEIGHT), window.height() - px(_AROUND)))

    def _connect(self) -> None:
        self._wait.said.connect(self._show)
        self._choice.chosen.connect(self._on_filter)
        self._field.textChanged.connect(lambda _text: self._show())
        self._field.returnPressed.connect(self._on_go)
        self.list.selectionModel().currentChanged.connect(self._on_current)
        self.list.activated.connect(lambda _index: self._on_go())
        self._again.clicked.connect(self.ask)
        self._browser.clicked.connect(self._on_browser)
        self._close.clicked.connect(self.reject)
        self._go.clicked.connect(self._on_go)

    def _on_current(self, _current: QModelIndex, _previous: QModelIndex) -> None:
        self._refresh()


def _row(one: PullSummary, when: str, owner: str) -> PullRow:
    word, role, icon_name = STATES[one.state]
    head = display_text(f"{one.head_owner}:{one.head}" if one.head_owner not in ("", owner) else one.head)
    parts = [f"#{one.number}", author_name(one.author), f"{display_text(one.base)} ← {head}"]
    parts += [tr("your review is asked")] if one.review_asked else []
    parts += [tr("in a lane")] if one.lane_id else []
    title, detail = prose_text(one.title), " · ".join(parts)
    look = (icon_name, role if role != "neutral" else "muted")
    return PullRow(f"pull:{one.number}", title, detail, look, figures=when, sentence=f"{title}, {word}, {detail}")
