"""SettingsDialog: the settings over the window: pages at the left, each change checked and saved when it is made."""

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from desktop.domain.core.clock import utc_now
from desktop.language import tr
from desktop.ui.core.engine_facts import EngineFacts
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Requests
from desktop.ui.core.sink import Clock
from desktop.ui.settings.about import AboutPage
from desktop.ui.settings.advanced import AdvancedPage
from desktop.ui.settings.agents.page import AgentsPage
from desktop.ui.settings.appearance import AppearancePage
from desktop.ui.settings.databases.page import DatabasesPage
from desktop.ui.settings.fields import Field
from desktop.ui.settings.general import GeneralPage
from desktop.ui.settings.github.page import GitHubPage
from desktop.ui.settings.hooks.page import HooksPage
from desktop.ui.settings.mcp.page import McpPage
from desktop.ui.settings.notifications import NotificationsPage
from desktop.ui.settings.page import SettingsPage
from desktop.ui.settings.permissions.page import PermissionsPage
from desktop.ui.settings.providers.page import ProvidersPage
from desktop.ui.settings.saver import SettingsSaver
from desktop.ui.settings.search import SettingsSearch
from desktop.ui.settings.secrets.page import SecretsPage
from desktop.ui.settings.skills.page import SkillsPage
from desktop.ui.settings.topics import Topic
from desktop.ui.settings.web.page import WebPage
from desktop.ui.theme.icons import icon
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import CONTROL_HEIGHT, SPACE_1, SPACE_3, SPACE_4, SPACE_5
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.dialogs.ask import Question, ask_first
from desktop.ui.widgets.dialogs.dialog import Dialog
from desktop.ui.widgets.layouts.gaps import set_gaps

_WIDTH, _HEIGHT, _LIST_WIDTH = 860, 620, 196
_PAGE_ROLE = Qt.ItemDataRole.UserRole + 1
PageMaker = Callable[[SettingsSaver, Requests, Clock, QWidget], SettingsPage]
PAGES: tuple[tuple[type[SettingsPage], PageMaker], ...] = (
    (GeneralPage, lambda saver, _requests, _clock, parent: GeneralPage(saver, parent)),
    (ProvidersPage, lambda saver, requests, _clock, parent: ProvidersPage(saver, requests, parent)),
    (AgentsPage, lambda saver, requests, _clock, parent: AgentsPage(saver, requests, parent)),
    (SecretsPage, lambda _saver, requests, clock, parent: SecretsPage(requests, clock, parent)),
    (GitHubPage, lambda saver, requests, _clock, parent: GitHubPage(saver, requests, parent)),
    (PermissionsPage, PermissionsPage),
    (DatabasesPage, lambda saver, requests, _clock, parent: DatabasesPage(saver, requests, parent)),
    (WebPage, lambda saver, requests, _clock, parent: WebPage(saver, requests, parent)),
    (SkillsPage, lambda _saver, requests, _clock, parent: SkillsPage(requests, parent)),
    (HooksPage, lambda _saver, requests, _clock, parent: HooksPage(requests, parent)),
    (McpPage, lambda _saver, requests, _clock, parent: McpPage(requests, parent)),
    (AppearancePage, lambda saver, _requests, _clock, parent: AppearancePage(saver, parent)),
    (NotificationsPage, lambda saver, requests, _clock, parent: NotificationsPage(saver, requests, parent)),
    (AdvancedPage, lambda saver, requests, _clock, parent: AdvancedPage(saver, requests, parent)),
    (AboutPage, AboutPage),
)
"""The pages from the top, each with what it needs; its name, title and icon stand on its class."""


class SettingsDialog(Dialog):
    """Window-modal; open it with `open()`. `facts` are the window's, which know a batch before pages hear of it. A page
    is made when it is shown first, from the facts as they are then. Deletes itself when closed."""

    def __init__(
        self, requests: Requests, facts: EngineFacts, parent: QWidget | None = None, *, clock: Clock = utc_now
    ) -> None:
        super().__init__(parent)
        self.setObjectName("settings_dialog")
        self.setWindowTitle(tr("Settings"))
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._requests, self._clock = requests, clock
        self._saver = SettingsSaver(requests, facts, self)
        self._heard = Hearing()
        self.hearing = Hearing(self._saver.hearing, self._heard).after(self._take_engine)
        pages = [page for page, _ in PAGES]
        named = ({page.name: page.title for page in pages}, {page.name: page.icon for page in pages})
        self._search = SettingsSearch(*named, self)
        self._list = self._make_list()  # before the pages: Tab follows the order in which things are made
        self._stack = QStackedWidget(self)  # where pages are made: one that moves is styled a second time
        self._made: dict[int, SettingsPage] = {}
        for page, _ in PAGES:
            QListWidgetItem(page.title, self._list).setData(_PAGE_ROLE, f"page:{page.name}")
        self._close = push_button(tr("Close"), "settings_close", self)
        self._close.clicked.connect(self.reject)
        self._state = plain_label(self, "muted", "settings_state")
        self._lay_out()
        self._take_engine()
        self._list.currentRowChanged.connect(self._show_row)
        self._search.searching.connect(self._show_found)
        self._search.chosen.connect(self._show_topic)
        self._list.setCurrentRow(0)
        self._list.setFocus()
        self._take_size()
        theme().changed.connect(self._take_size)

    def show_page(self, name: str) -> None:
        """Show the page of this name, and after a colon what of it; an unknown one changes nothing."""
        name, _, item = name.partition(":")
        for row, (page, _) in enumerate(PAGES):
            if page.name == name:
                self._list.setCurrentRow(row)
                if item:
                    self._made[row].show_item(item)
                elif not self._made[row].take_focus():
                    self._list.setFocus()

    def _show_row(self, row: int) -> None:
        if row not in self._made:
            make = PAGES[row][1]
            self._made[row] = page = make(self._saver, self._requests, self._clock, self._stack)
            self._stack.addWidget(page)
            self._heard.inside(page.hearing)
            self.finished.connect(page.stop)
            if (last := self.previousInFocusChain()) is not None:
                self.setTabOrder(last, self._close)  # it stays behind the pages though it was made before them
        self._stack.setCurrentWidget(self._made[row])

    def _show_found(self, searching: bool) -> None:
        self._list.setVisible(not searching)
        self._search.results.setVisible(searching)

    def _show_topic(self, topic: Topic) -> None:
        at = next(at for at, (one, _) in enumerate(PAGES) if one.name == topic.page)
        self._list.setCurrentRow(at)
        if topic.form:
            self._made[at].show_in_form(topic)
        else:
            self._made[at].show_row(topic.row)

    def _take_engine(self) -> None:
        """Nothing can be changed while nobody is there to keep it."""
        facts = self._saver.facts
        why = tr("The engine stopped, so nothing can be saved.") if facts.stopped else ""
        why = why or ("" if facts.ready else tr("Loading settings…"))
        set_off(self._stack, why)
        self._state.setText(why)

    def reject(self) -> None:
        """Close. What was typed is saved first; what is not valid is thrown away after asking."""
        for field in self._fields():
            field.commit()
        invalid = next((field for field in self._fields() if field.problem), None)
        if invalid is None:
            super().reject()
            return
        question = Question(
            name="settings_discard_dialog",
            title=tr("Discard the change to {label}?", label=invalid.label),
            text=invalid.problem,
            stay=(tr("Keep editing"), "settings_discard_stay"),
            go=(tr("Discard"), "settings_discard_go"),
        )
        ask_first(question, self, self._discard)

    def _fields(self) -> list[Field]:
        return [field for page in self._made.values() for field in page.fields()]

    def _discard(self) -> None:
        for field in self._fields():
            field.discard()
        self.reject()

    def _take_size(self) -> None:
        parent = self.parentWidget()
        room = self.screen().availableSize()
        if parent is not None:
            room = room.expandedTo(parent.window().size())
        self.resize(QSize(theme().px(_WIDTH), theme().px(_HEIGHT)).boundedTo(room))
        self._left.setFixedWidth(theme().px(_LIST_WIDTH))
        for row, (page, _) in enumerate(PAGES):
            item = self._list.item(row)
            item.setSizeHint(QSize(0, theme().px(CONTROL_HEIGHT)))
            item.setIcon(icon(page.icon))

    def _make_list(self) -> QListWidget:
        pages = QListWidget(self)
        pages.setObjectName("settings_pages")
        pages.setAccessibleName(tr("Pages"))
        pages.setProperty("kind", "pages")
        pages.setFrameShape(QFrame.Shape.NoFrame)
        pages.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        return pages

    def _lay_out(self) -> None:
        buttons = QHBoxLayout()
        set_gaps(buttons, (SPACE_5, SPACE_3, SPACE_5, SPACE_4))
        buttons.addWidget(self._state, 1)
        buttons.addWidget(self._close)
        right = QVBoxLayout()
        right.setContentsMargins(0, 0, 0, 0)
        right.setSpacing(0)
        right.addWidget(self._stack, 1)
        edge = QFrame(self)  # pages go on below it
        edge.setProperty("kind", "line")
        edge.setFixedHeight(theme().px(1))
        right.addWidget(edge)
        right.addLayout(buttons)
        self._left, head = QWidget(self), QFrame(self)
        head.setProperty("kind", "pages")
        top = QHBoxLayout(head)
        set_gaps(top, (0, SPACE_1, 0, 0))
        top.addWidget(self._search)
        left = QVBoxLayout(self._left)
        left.setContentsMargins(0, 0, 0, 0)
        left.setSpacing(0)
        left.addWidget(head)
        left.addWidget(self._list, 1)
        left.addWidget(self._search.results, 1)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._left)
        layout.addLayout(right, 1)
