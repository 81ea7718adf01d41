"""NoPull: what stands in place of a request: a state with one way on, or that there is none, and how to open it."""

from collections.abc import Sequence
from datetime import datetime

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from desktop.domain.display.text import display_text
from desktop.domain.pulls.pull_request import ForgeProblem, Hindrance
from desktop.language import said, tr, trn
from desktop.records import dataclass
from desktop.ui.core.sink import Clock
from desktop.ui.pulls.again import AgainButton
from desktop.ui.pulls.hindrances import HindranceRows
from desktop.ui.pulls.parts import column_in, line_of
from desktop.ui.text.format import clock_time
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_2, SPACE_4
from desktop.ui.widgets.buttons.push_button import small_button
from desktop.ui.widgets.card_parts import BodyScroll
from desktop.ui.widgets.chip import button_text
from desktop.ui.widgets.empty_state import EmptyState
from desktop.ui.widgets.layouts.gaps import set_gaps

CONNECT, AGAIN, CANCEL, CREATE, LINK, LIST = "connect", "again", "cancel", "create", "link", "list"
_BUTTONS = {
    CREATE: (tr("Open PR…"), "pr_create"),
    CONNECT: (tr("Connect GitHub…"), "pr_connect"),
    AGAIN: (tr("Try again"), "pr_try_again"),
    CANCEL: (tr("Cancel"), "pr_cancel"),
    LINK: (tr("Link existing…"), "pr_link"),
    LIST: (tr("All pull requests…"), "pr_list"),
}
_TITLES = {
    "not_connected": tr("GitHub is not connected."),
    "no_remote": tr("This repository has no remote."),
    "other_host": tr("This remote is not a GitHub host."),
    "choose_remote": tr("Which remote holds the pull requests?"),
    "unauthorised": tr("The token is not accepted."),
    "forbidden": tr("A right is missing."),
    "not_found": tr("Not found."),
    "offline": tr("Offline"),
    "server": tr("GitHub failed."),
    "bad_answer": tr("GitHub answered something unexpected."),
    "busy": tr("GitHub is busy."),
    "too_large": tr("The answer is too large."),
    "invalid": tr("GitHub refused this."),
    "conflict": tr("Something changed meanwhile."),
}
_BEGINNINGS = {
    "not_connected": "GitHub is not connected",
    "no_remote": "This repository has no remote",
    "other_host": "This remote is not a GitHub host",
    "choose_remote": "Which remote holds the pull requests?",
    "unauthorised": "The token is not accepted",
    "forbidden": "A right is missing",
    "not_found": "Not found",
    "offline": "Offline",
    "server": "GitHub failed",
    "bad_answer": "GitHub answered something unexpected",
    "busy": "GitHub is busy",
    "too_large": "The answer is too large",
    "invalid": "GitHub refused this",
    "conflict": "Something changed meanwhile",
    "rate_limited": "GitHub asks to wait",
}
"""What a problem of a kind may begin with, which its title says already."""
_WAYS_ON = {"no_remote": tr("Add one with git remote add, then try again.")}
NOTHING_AHEAD = tr("Nothing to propose yet.")


@dataclass(frozen=True)
class PullStand:
    """The contents of the page without a request: a title, a sentence, and buttons by their names. `connect`: what that
    button says; `until`: when it can be tried again, None for at once."""

    title: str = ""
    sentence: str = ""
    buttons: tuple[str, ...] = ()
    connect: str = tr("Connect GitHub…")
    until: datetime | None = None


def stand_of(problem: ForgeProblem) -> PullStand:
    """A problem as a state with a way on."""
    told = text = display_text(problem.text, multiline=True)
    title = _TITLES.get(problem.kind, "")
    stem = _BEGINNINGS.get(problem.kind, "")
    if problem.kind == "rate_limited":
        title = tr("GitHub asks to wait.")
        if problem.until is not None:
            at = clock_time(problem.until)
            title, stem = tr("GitHub asks to wait until {time}.", time=at), f"{stem} until {at}"
    if problem.kind == "forbidden" and problem.right and problem.right not in problem.text:
        text = tr("{problem} Missing: {right}", problem=text, right=display_text(problem.right)).strip()
    if stem and text.startswith(stem):
        rest = text[len(stem) :]
        title, text = (title, rest.lstrip(":. ")) if rest[:1] in ("", ".", ":", " ") else (text, "")
    text = said(text) or _WAYS_ON.get(problem.kind, "")
    buttons = {
        "not_connected": (CONNECT,),
        "unauthorised": (CONNECT,),
        "forbidden": (CONNECT, AGAIN),
        "no_remote": (AGAIN,),
        "choose_remote": (),
    }
    if problem.kind == "not_found":
        return PullStand(title, text, (CONNECT, AGAIN), tr("GitHub settings…"))
    if problem.kind == "other_host":
        text = tr("It is at {place}", place=text) if told.startswith(f"{stem}: ") else text
        return PullStand(title, text, (CONNECT,), tr("GitHub settings…"))
    until = problem.until if problem.kind == "rate_limited" else None
    return PullStand(title, text, buttons.get(problem.kind, (AGAIN,)), until=until)


def none_stand(files: int | None, base: str, *, ahead: int | None) -> PullStand:
    """The contents that say that there is no request."""
    if ahead == 0:
        return PullStand(
            NOTHING_AHEAD, tr("The lane has no commits beyond {base}.", base=display_text(base)), (LINK, LIST)
        )
    differ = (
        trn(files, "{n} file differs from {base}.", "{n} files differ from {base}.", base=display_text(base))
        if files
        else ""
    )
    return PullStand(tr("No pull request."), differ, (CREATE, LINK, LIST))


class NoPull(QWidget):
    """`asked` carries the name of a button or of an action against a hindrance; `remote_chosen` a remote's name."""

    asked = Signal(str)
    remote_chosen = Signal(str)

    def __init__(self, clock: Clock, parent: QWidget) -> None:
        super().__init__(parent)
        self._stand = PullStand()
        self._state = EmptyState("git-pull-request", "", "", self)
        self._buttons: dict[str, QPushButton] = {}
        for name, (words, object_name) in _BUTTONS.items():
            self._buttons[name] = self._button(words, object_name, name)
        self._again = AgainButton(self._buttons[AGAIN], clock)
        self._remotes = QVBoxLayout()
        set_gaps(self._remotes, spacing=SPACE_2)
        self.hindrances = HindranceRows("pr_hindrances", self, lambda _one: "")
        self.hindrances.acted.connect(self.asked)
        scroll = BodyScroll(self, "canvas")
        scroll.setAccessibleName(tr("Pull request"))
        set_gaps(scroll.column, (SPACE_4, SPACE_4, SPACE_4, SPACE_4), SPACE_2)
        scroll.column.addStretch(1)
        set_gaps(self._state.column, (SPACE_4, SPACE_4, SPACE_4, 0), SPACE_2)
        scroll.column.addWidget(self._state)
        scroll.column.addLayout(self._remotes)
        for names in ((CREATE, CONNECT, AGAIN, CANCEL), (LINK, LIST)):
            row = line_of(*(self._buttons[name] for name in names), margins=(0, 0, 0, 0))
            row.insertStretch(0, 1)
            row.addStretch(1)
            scroll.column.addLayout(row)
            if CREATE in names:
                self.hindrances.setContentsMargins(0, theme().px(SPACE_2), 0, 0)
                scroll.column.addWidget(self.hindrances)
        scroll.column.addStretch(2)
        column_in(self, scroll)
        self.show_stand(PullStand())

    def show_stand(self, stand: PullStand, hindrances: Sequence[Hindrance] = (), remotes: Sequence[str] = ()) -> None:
        """Show this; a Stand without a title shows nothing."""
        self._stand = stand
        self._state.set_texts(stand.title, stand.sentence)
        self._state.setVisible(bool(stand.title))
        for name, button in self._buttons.items():
            button.setVisible(name in stand.buttons)
        self._buttons[CONNECT].setText(stand.connect)
        self._again.show_words(_BUTTONS[AGAIN][0], stand.until)
        blocked = any(one.blocks for one in hindrances)
        create = self._buttons[CREATE]
        create.setToolTip(tr("The reasons below come first.") if blocked else "")
        self.hindrances.show_hindrances(hindrances)
        self._show_remotes(remotes)

    @property
    def stand(self) -> PullStand:
        """The contents that are shown."""
        return self._stand

    def _show_remotes(self, remotes: Sequence[str]) -> None:
        while (item := self._remotes.takeAt(0)) is not None:
            gone = item.widget()
            if gone is not None:
                gone.hide()
                gone.deleteLater()
        for at, remote in enumerate(remotes):
            button = small_button(button_text(display_text(remote)), f"pr_remote_{at}", self)
            button.clicked.connect(lambda _checked=False, remote=remote: self.remote_chosen.emit(remote))
            self._remotes.addWidget(button)
            button.show()

    def _button(self, words: str, object_name: str, name: str) -> QPushButton:
        kinds = {CREATE: "primary", CONNECT: "primary", LINK: "ghost", LIST: "ghost"}
        button = small_button(words, object_name, self, kinds.get(name, ""))
        button.clicked.connect(lambda: self.asked.emit(name))
        return button
