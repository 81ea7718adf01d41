"""PullHeader: number, title, state, branches, author and age of a request; chips of how it stands; what can be done."""

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QMenu, QPushButton, QWidget

from desktop.domain.display.text import display_text, prose_text
from desktop.domain.pulls.pull_request import PullRequest, PullSnapshot
from desktop.language import number, said, tr, trn
from desktop.ui.pulls.parts import column_in, line_of
from desktop.ui.pulls.shown import ShownPull
from desktop.ui.pulls.words import (
    STATES,
    PullWord,
    as_of,
    author_name,
    checks_word,
    merge_word,
    review_word,
    threads_word,
)
from desktop.ui.text.format import age, count, full_time
from desktop.ui.theme.icons import icon
from desktop.ui.theme.stylesheet import restyle
from desktop.ui.theme.tokens import SPACE_1, SPACE_2, SPACE_3
from desktop.ui.widgets.buttons.icon_button import IconButton, icon_button
from desktop.ui.widgets.buttons.off import UNDER_WAY, set_action_off, set_off
from desktop.ui.widgets.buttons.push_button import small_button
from desktop.ui.widgets.card_parts import CardTitle, plain_label, say
from desktop.ui.widgets.chip import Chip, ChipButton
from desktop.ui.widgets.elided_label import ElidedLabel, plain_tooltip
from desktop.ui.widgets.layouts.flow_layout import FlowLayout

_CHIP_TABS = {"checks": "checks", "review": "comments", "threads": "threads", "merge": "overview"}


class PullHeader(QWidget):
    """What it cannot do itself it asks of the shown request, by the names of `ui/pulls/actions.py`."""

    def __init__(self, shown: ShownPull, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("pr_header")
        self._shown = shown
        self.title = CardTitle(self, "pr_heading")
        self._state = Chip("", "neutral", self)
        self._state.setObjectName("pr_state")
        self._branches = ElidedLabel("", self, Qt.TextElideMode.ElideLeft)
        self._branches.setProperty("kind", "mono")
        self._branches.setObjectName("pr_branches")
        self._by = ElidedLabel("", self)
        self._by.setProperty("kind", "caption")
        self._by.setObjectName("pr_author")
        self._as_of = plain_label(self, "caption", "pr_as_of", wrap=False)
        self._reason = plain_label(self, "caption", "pr_reason")
        self._refresh = icon_button(
            "refresh-cw", tr("Refresh the pull request"), "pr_refresh", self, lambda: shown.act_asked.emit("refresh")
        )
        self._browser = icon_button(
            "external-link", tr("Open in the browser"), "pr_browser", self, lambda: shown.act_asked.emit("browser")
        )
        self._more = IconButton("ellipsis", tr("More for this pull request"), self)
        self._more.setObjectName("pr_more")
        self._more.clicked.connect(self.show_menu)
        self._chips: dict[str, ChipButton] = {}
        self._flow = FlowLayout(gap_x=SPACE_1, gap_y=SPACE_1)
        for name in ("checks", "review", "merge", "threads", "behind", "unpushed", "dirty"):
            self._add_chip(name)
        self.main = small_button("", "pr_main", self)
        self.main.clicked.connect(self._on_main)
        self._update = small_button(tr("Update branch"), "pr_update_branch", self)
        self._update.clicked.connect(lambda: shown.act_asked.emit("update_branch"))
        self._main_act = ""
        self._low = False
        self._lay_out()
        shown.orders.changed.connect(self.refresh)

    def refresh(self) -> None:
        """Show what is known."""
        snapshot = self._shown.snapshot
        pull = snapshot.pull if snapshot is not None else None
        if snapshot is None or pull is None:
            return
        title = prose_text(pull.title)
        self.title.set_title(f"{title} #{pull.number}", title)
        word, role, _icon = STATES[pull.state]
        self._state.set_chip(word, role)
        head = display_text(pull.head)
        fork = pull.head_repository
        other = fork is not None and snapshot.repository is not None and fork.slug != snapshot.repository.slug
        head = f"{display_text(fork.owner)}:{head}" if fork is not None and other else head
        self._branches.set_full_text(f"{display_text(pull.base)} ← {head}", head)
        self._take_ages(snapshot, pull)
        self._take_chips(snapshot, pull)
        self._take_buttons(snapshot, pull)

    def set_low(self, low: bool) -> None:
        """Leave the chips to the pages that say the same, where there is little room below."""
        if low != self._low:
            self._low = low
            self.refresh()

    def take_ages(self) -> None:
        """Bring the ages up to date, because time has passed."""
        snapshot = self._shown.snapshot
        if snapshot is not None and snapshot.pull is not None:
            self._take_ages(snapshot, snapshot.pull)

    def show_menu(self) -> QMenu:
        """Show the menu of what can be done with the request beside its main action."""
        menu = QMenu(self)
        menu.setObjectName("pr_menu")
        menu.setToolTipsVisible(True)
        why, pull = self._shown.hindrance(), self._shown.pull
        for name, words, icon_name, writes in self._entries(pull):
            if name == "-":
                menu.addSeparator()
                continue
            action = menu.addAction(icon(icon_name), words)
            action.setObjectName(f"pr_menu_{name}")
            set_action_off(action, why if writes else "")
            action.triggered.connect(lambda _checked=False, name=name: self._shown.act_asked.emit(name))
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self._more.mapToGlobal(QPoint(0, self._more.height())))
        return menu

    def copy_link(self) -> None:
        """Put the address of the request on the clipboard."""
        pull = self._shown.pull
        if pull is not None:
            QGuiApplication.clipboard().setText(pull.url)
            self._shown.noted.emit(tr("Link copied"), False)

    # parts

    @staticmethod
    def _entries(pull: PullRequest | None) -> list[tuple[str, str, str, bool]]:
        state = pull.state if pull is not None else "closed"
        found = [
            ("browser", tr("Open in the browser"), "external-link", False),
            ("copy_link", tr("Copy link"), "copy", False),
            ("-", "", "", False),
            ("edit", tr("Edit title and body"), "pencil", True),
        ]
        found += {
            "draft": [
                ("ready", tr("Ready for review…"), "git-pull-request", True),
                ("close", tr("Close without merging…"), "git-pull-request-closed", True),
            ],
            "open": [
                ("merge", tr("Merge…"), "git-merge", True),
                ("draft", tr("Turn into a draft…"), "git-pull-request-draft", True),
                ("close", tr("Close without merging…"), "git-pull-request-closed", True),
            ],
            "closed": [("reopen", tr("Open again…"), "git-pull-request", True)],
            "merged": [],
        }[state]
        return [
            *found,
            ("-", "", "", False),
            ("link", tr("Link another pull request…"), "link", False),
            ("list", tr("All pull requests…"), "list", False),
        ]

    def _take_ages(self, snapshot: PullSnapshot, pull: PullRequest) -> None:
        now = self._shown.clock()
        opened = f" · {age(pull.created_at, now)}" if pull.created_at is not None else ""
        figures = f" · {count(pull.changed_files, 'file')}" if pull.changed_files else ""
        self._by.set_full_text(f"{author_name(pull.author)}{opened}{figures}")
        told = snapshot.problem is not None and snapshot.problem.kind == "offline"  # the strip below says it
        words = "" if told else as_of(snapshot, now, always=snapshot.problem is not None)
        say(self._as_of, tr("Loading…") if self._shown.fold.loading and words else words)
        self._as_of.setToolTip(full_time(snapshot.as_of) if snapshot.as_of is not None else "")

    def _take_chips(self, snapshot: PullSnapshot, pull: PullRequest) -> None:
        status = self._shown.fold.status
        behind = pull.behind
        live = pull.state in ("open", "draft")
        unpushed = status.remote_ahead if status is not None else None
        words: dict[str, PullWord | None] = {
            "checks": checks_word(snapshot),
            "review": review_word(snapshot),
            "merge": merge_word(pull),
            "threads": threads_word(snapshot),
            "behind": PullWord(
                tr("behind {number}", number=number(behind)),
                "neutral",
                tr("{commits} of {base} are not in it", commits=count(behind, "commit"), base=display_text(pull.base)),
            )
            if behind and live
            else None,
            "unpushed": PullWord(
                trn(unpushed, "{n} unpushed", "{n} unpushed"),
                "warning",
                tr("Commits of the lane that are not in the request"),
            )
            if unpushed and live
            else None,
            "dirty": PullWord(tr("uncommitted changes"), "warning", tr("The lane holds changes that are not committed"))
            if status is not None and status.dirty and live
            else None,
        }
        for name, chip in self._chips.items():
            word = words[name]
            chip.setVisible(word is not None and not self._low)
            if word is not None:
                chip.set_chip(word.words, word.role)
                chip.setToolTip(plain_tooltip(word.tip))
        open_reason = pull.reason if live and pull.mergeable != "yes" else ""
        say(self._reason, "" if self._low else display_text(said(open_reason), multiline=True))

    def _take_buttons(self, snapshot: PullSnapshot, pull: PullRequest) -> None:
        why = self._shown.hindrance()
        lane = self._shown.fold.lane
        archivable = lane is not None and lane.state == "active" and lane.type != "primary"
        main = {
            "draft": ("ready", tr("Ready for review…")),
            "open": ("merge", tr("Merge…")),
            "merged": ("archive", tr("Archive lane…")) if archivable else ("", ""),
            "closed": ("reopen", tr("Open again…")),
        }[pull.state]
        self._main_act = main[0]
        self.main.setText(main[1])
        restyle(self.main, kind="primary" if pull.state == "open" and pull.mergeable == "yes" else "")
        self.main.setVisible(bool(main[0]))
        writes = pull.state != "merged"
        self._enable(self.main, why if writes else "", busy=self._shown.orders.is_busy("state"))
        stale = pull.state in ("open", "draft") and (bool(pull.behind) or pull.mergeable in ("behind", "conflicts"))
        busy = self._shown.orders.is_busy("update_branch")
        self._update.setVisible(stale)
        self._update.setText(tr("Updating…") if busy else tr("Update branch"))
        self._enable(self._update, why, busy=busy)

    @staticmethod
    def _enable(button: QPushButton, why: str, *, busy: bool) -> None:
        set_off(button, why or (UNDER_WAY if busy else ""))

    def _on_main(self) -> None:
        if self._main_act:
            self._shown.act_asked.emit(self._main_act)

    def _add_chip(self, name: str) -> None:
        chip = ChipButton("", "neutral", self)
        chip.setObjectName(f"pr_chip_{name}")
        chip.clicked.connect(lambda: self._on_chip(name))
        self._flow.addWidget(chip)
        self._chips[name] = chip

    def _on_chip(self, name: str) -> None:
        if name in _CHIP_TABS:
            self._shown.tab_asked.emit(_CHIP_TABS[name])
        else:
            self._shown.act_asked.emit({"behind": "update_branch", "unpushed": "push", "dirty": "changes"}[name])

    def _lay_out(self) -> None:
        branches = line_of(self._state, self._branches, margins=(0, 0, 0, 0))
        branches.setStretch(1, 1)
        tools = QHBoxLayout()
        tools.setContentsMargins(0, 0, 0, 0)
        tools.setSpacing(0)
        for button in (self._refresh, self._browser, self._more):
            tools.addWidget(button)
        branches.addLayout(tools)
        by = line_of(self._by, self._as_of, self._update, self.main, margins=(0, 0, 0, 0))
        by.setStretch(0, 1)
        margins = (SPACE_3, SPACE_2, SPACE_2, SPACE_2)
        column = column_in(self, self.title, branches, by, margins=margins, spacing=SPACE_1 + 2)
        column.addLayout(self._flow)
        column.addWidget(self._reason)
        for at in range(column.count()):
            column.setStretch(at, 0)
