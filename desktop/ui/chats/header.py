"""The header of a chat: title, lane, what is true of it now, and its menu."""

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QMenu, QSizePolicy, QToolTip, QWidget

from desktop.config.found import FoundService
from desktop.domain.gate.sandbox import SandboxReport
from desktop.domain.mcp.updates import McpServerRow
from desktop.language import tr
from desktop.ui.chats.book import ChatFacts
from desktop.ui.chats.children import show_children
from desktop.ui.chats.header_chips import FAILED_ICON, NAMES, RETRYING_ICON, ChipFact, chips_of, header_state
from desktop.ui.core.actions import ACTIONS, key_text
from desktop.ui.core.chat_state import RETRYING
from desktop.ui.core.sink import Clock
from desktop.ui.guests.popover import AgentPopover
from desktop.ui.theme.icons import pixmap
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import HEADER, ICON_LINE, SPACE_1, SPACE_2, SPACE_4
from desktop.ui.widgets.addresses import open_one_of
from desktop.ui.widgets.buttons.elided_button import ElidedButton
from desktop.ui.widgets.buttons.icon_button import IconButton
from desktop.ui.widgets.buttons.off import set_action_off, set_off
from desktop.ui.widgets.chip import ChipButton
from desktop.ui.widgets.elided_label import plain_tooltip
from desktop.ui.widgets.layouts.gaps import set_gaps

_TITLE_KEEPS, _TITLE_LEAST = 24, 3
_MENU = (
    "find",
    "handover",
    "export_chat",
    "compact",
    "clear_context",
    "fork_chat",
    "rewind",
    "instructions",
    "mute_chat",
)
_MENU_END = ("delete_chat",)
_OF_OUR_LOOP = ("compact", "clear_context", "instructions")
"""What an agent of others sees to itself."""
_NOT_WHILE_RUNNING = ("compact", "clear_context")


class Header(QFrame):
    """48 high. Renaming, archiving and what the chips lead to are asked by signals; `action_asked`: an action's id;
    `chat_asked`: a sub-agent, or the chat above one, is to be shown; `settings_asked`: a page of the settings."""

    renamed = Signal(str)
    archive_asked = Signal(bool)
    action_asked = Signal(str)
    lane_asked = Signal()
    sandbox_asked = Signal()
    taint_asked = Signal()
    boundaries_asked = Signal()
    review_asked = Signal()
    settings_asked = Signal(str)
    chat_asked = Signal(str)
    child_stop_asked = Signal(str)
    agent_end_asked = Signal()
    successor_asked = Signal(QRect)

    def __init__(self, clock: Clock, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("header")
        self.setProperty("kind", "surface")
        self._clock = clock
        self._facts: ChatFacts | None = None
        self._sandbox: SandboxReport | None = None
        self._servers: tuple[McpServerRow, ...] = ()
        self._hooks: tuple[str, ...] = ()
        self._at_vendor = False
        self._service: FoundService | None = None
        self._words = ""
        self._agent: AgentPopover | None = None
        self._icon = QLabel(self)
        self._title = ElidedButton("", self)
        self._title.setObjectName("header_title")
        self._title.setProperty("kind", "ghost")
        self._title.setProperty("role", "title")
        self._title.clicked.connect(self.edit_title)
        self._edit = self._make_edit()
        self._lane = ElidedButton("", self)
        self._lane.setProperty("kind", "chip")
        self._lane.setObjectName("header_lane")
        self._lane.clicked.connect(self.lane_asked)
        self._chips = {name: self._make_chip(name) for name in NAMES}
        self._state_icon = QLabel(self)
        self._state = QLabel(self)
        self._state.setObjectName("header_state")
        self._state.setTextFormat(Qt.TextFormat.PlainText)
        self._state.setProperty("kind", "muted")
        self._menu = IconButton("ellipsis", tr("Chat menu"), self)
        self._menu.setObjectName("header_menu")
        self._menu.clicked.connect(self._open_menu)
        self._countdown = QTimer(self)
        self._countdown.setInterval(1000)
        self._countdown.timeout.connect(self.refresh_state)
        self._lay_out()
        self._take_theme()
        theme().changed.connect(self._take_theme)

    def show_facts(
        self,
        facts: ChatFacts | None,
        sandbox: SandboxReport | None = None,
        servers: tuple[McpServerRow, ...] = (),
        hooks: tuple[str, ...] = (),
        *,
        at_vendor: bool = False,
        service: FoundService | None = None,
    ) -> None:
        """Show a chat; None is the page of a new one. The same facts again cost little.

        `sandbox`: what the sandbox was last found to stop, None while that is not known. `servers`: those of MCP.
        `hooks`: why some do not run. `at_vendor`: the model's service may search by itself for it. `service`: of the
        environment, if one answers the chat.
        """
        before = (self._facts, self._sandbox, self._servers, self._hooks, self._at_vendor, self._service)
        if facts is not None and (facts, sandbox, servers, hooks, at_vendor, service) == before:
            self.refresh_state()
            return
        if self._facts is None or facts is None or facts.session_id != self._facts.session_id:
            self._edit.hide()
            self._title.show()
        self._facts, self._sandbox, self._servers, self._hooks = facts, sandbox, servers, hooks
        self._at_vendor, self._service = at_vendor, service
        shown = facts is not None
        self._title.set_full_text(facts.raw_title if facts is not None else tr("New chat"), prose=True)
        does = tr("Rename ({key})", key=key_text("rename")) if shown and not self._title.cut else self._tip()
        set_off(self._title, "" if shown else tr("Nothing was sent yet: the chat is named then."), does)
        if facts is not None:
            self._lane.set_full_text(facts.lane_name)
            self._lane.setToolTip(plain_tooltip(facts.lane_words))
        for widget in (self._state_icon, self._state, self._menu):
            widget.setVisible(shown)
        self._take_icon()
        self.refresh_state()
        self._share_room()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another width, another cut."""
        super().resizeEvent(event)
        self._share_room()

    def minimumSizeHint(self) -> QSize:
        """It never makes its page wider: title and lane give way."""
        return QSize(1, super().minimumSizeHint().height())

    def _share_room(self) -> None:
        """Where it is narrow the lane gives way to title, warnings and state; then the title; then words of chips, from
        the last on; then the words of the state, whose icon says them; then more of the title, and bare figures."""
        self._title.set_keep(_TITLE_KEEPS)
        true = self._take_chips()
        self._state.setVisible(self._facts is not None)
        self._lane.setVisible(self._facts is not None and bool(self._facts.lane_name))
        if self._least_width() > self.width():
            self._lane.hide()
        if self._least_width() > self.width():
            self._title.set_keep()
        self._shorten(true, 1)
        if self._least_width() > self.width():
            self._state.hide()
        if self._least_width() > self.width():
            self._title.set_keep(_TITLE_LEAST)
        self._shorten(true, 2)

    def _shorten(self, true: Mapping[str, ChipFact], level: int) -> None:
        """Bare figures come last."""
        for name, fact in sorted(reversed(list(true.items())), key=lambda one: one[1].words(level).isdecimal()):
            if self._least_width() <= self.width():
                return
            self._chips[name].set_chip(fact.words(level), fact.role)

    def _least_width(self) -> int:
        layout = self.layout()
        return layout.minimumSize().width() if layout is not None else 0

    def refresh_state(self) -> None:
        """Write the state anew; a countdown ticks once a second while it is seen."""
        if self._facts is None:
            self._countdown.stop()
            return
        name, token, words = header_state(self._facts, self._clock())
        self._state.setText(words)
        self._state.setAccessibleName(tr("State: {words}", words=words))
        self._state.setToolTip(plain_tooltip(self._facts.failed if name == FAILED_ICON else ""))
        self._state_icon.setToolTip(plain_tooltip(self._state.toolTip() or words))
        self._state_icon.setAccessibleName(tr("State: {words}", words=words))
        self._state_icon.setPixmap(pixmap(name, token, ICON_LINE, self.devicePixelRatio()))
        counting = name == RETRYING_ICON and words != RETRYING and self.isVisible()
        if counting and not self._countdown.isActive():
            self._countdown.start()
        elif not counting:
            self._countdown.stop()
        if words != self._words:
            self._words = words
            self._share_room()

    def set_quiet(self, quiet: bool) -> None:
        """Step back behind the header of the active pane, and share the room with what the pane put here."""
        if quiet == (self._title.property("role") == "title"):
            self._title.setProperty("role", "" if quiet else "title")
            self._title.style().unpolish(self._title)
            self._title.style().polish(self._title)
        self._share_room()

    def needs_clock(self) -> bool:
        """Whether the state shows a time that grows."""
        return self._facts is not None and self._facts.turn_running and not self._facts.waiting

    def edit_title(self) -> None:
        """Put a field in the place of the title."""
        if self._facts is None:
            return
        self._edit.setText(self._facts.title)
        self._title.hide()
        self._edit.show()
        self._edit.selectAll()
        self._edit.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Esc leaves the title as it is; leaving the field too."""
        if watched is self._edit:
            escape = isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape
            if escape or event.type() == QEvent.Type.FocusOut:
                self._end_edit()
                return escape
        return super().eventFilter(watched, event)

    def _make_edit(self) -> QLineEdit:
        edit = QLineEdit(self)
        edit.setObjectName("header_title_edit")
        edit.setAccessibleName(tr("Title of the chat"))
        edit.setMaxLength(80)
        edit.hide()
        edit.installEventFilter(self)
        edit.returnPressed.connect(self._on_renamed)
        return edit

    def _take_chips(self) -> dict[str, ChipFact]:
        """Show with all their words the chips that are true; which these are, in their order."""
        true: dict[str, ChipFact] = {}
        if self._facts is not None:
            shown = (self._sandbox, self._servers, self._hooks)
            true = chips_of(self._facts, *shown, at_vendor=self._at_vendor, service=self._service)
        for name, chip in self._chips.items():
            fact = true.get(name)
            if fact is not None:
                chip.set_chip(fact.text, fact.role)
                chip.setAccessibleName(fact.text)
                chip.setToolTip(fact.sentence)
                chip.setAccessibleDescription(fact.sentence)
            chip.setVisible(fact is not None)
        return {name: true[name] for name in self._chips if name in true}

    def _make_chip(self, name: str) -> ChipButton:
        chip = ChipButton(NAMES[name], "neutral", self)
        chip.setObjectName(name)
        leads_to = {
            "header_sandbox": self.sandbox_asked,
            "header_boundaries": self.boundaries_asked,
            "header_taint": self.taint_asked,
            "header_review": self.review_asked,
            "header_hooks": partial(self.settings_asked.emit, "hooks"),
            "header_mcp": partial(self.settings_asked.emit, "mcp"),
            "header_vendor": partial(self.settings_asked.emit, "web"),
            "header_service": partial(self.settings_asked.emit, "providers"),
            "header_addresses": self._open_address,
            "header_parent": self._open_parent,
            "header_children": self._open_children,
            "header_agent": self._open_agent,
        }
        if name in leads_to:
            chip.clicked.connect(leads_to[name])
        else:
            below = QPoint(0, chip.height())
            chip.clicked.connect(lambda: QToolTip.showText(chip.mapToGlobal(below), chip.toolTip(), chip))
        chip.hide()
        return chip

    def _lay_out(self) -> None:
        layout = QHBoxLayout(self)
        set_gaps(layout, (SPACE_4, 0, SPACE_2, 0), SPACE_2)
        self._edit.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        layout.addWidget(self._icon)
        layout.addSpacing(-SPACE_1)
        layout.addWidget(self._title)
        layout.addWidget(self._edit, 4)
        layout.addWidget(self._lane)
        layout.addStretch(1)
        for chip in self._chips.values():
            layout.addWidget(chip)
        layout.addWidget(self._state_icon)
        layout.addWidget(self._state)
        layout.addSpacing(SPACE_1)
        layout.addWidget(self._menu)

    def _open_address(self) -> None:
        if self._facts is not None and self._facts.addresses:
            open_one_of(self._facts.addresses, self._chips["header_addresses"])

    def _open_parent(self) -> None:
        if self._facts is not None:
            self.chat_asked.emit(self._facts.parent_id)

    def _open_children(self) -> None:
        if self._facts is not None:
            chip = self._chips["header_children"]
            show_children(self._facts.children, chip, self.chat_asked.emit, self.child_stop_asked.emit)

    def _open_agent(self) -> None:
        if self._facts is None or self._facts.guest is None:
            return
        if self._agent is None:
            self._agent = AgentPopover(self)
            self._agent.asked.connect(self._on_agent)
        self._agent.show_agent(self._facts.guest, working=self._facts.turn_running)
        self._agent.open_over(self._chips["header_agent"])

    def _on_agent(self, what: str) -> None:
        if what == "end":
            self.agent_end_asked.emit()
        else:
            self.settings_asked.emit("agents")

    def _open_menu(self) -> None:
        if self._facts is None:
            return
        archived = self._facts.archived
        menu = QMenu(self)
        menu.setObjectName("header_menu_list")
        menu.setToolTipsVisible(True)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(tr("Rename")).triggered.connect(self.edit_title)
        self._add_actions(menu, tuple(one for one in _MENU if not (self._facts.guest_id and one in _OF_OUR_LOOP)))
        menu.addAction(tr("Continue with…")).triggered.connect(self._on_successor)
        archive = menu.addAction(tr("Bring back") if archived else tr("Archive"))
        archive.triggered.connect(lambda: self.archive_asked.emit(not archived))
        self._add_actions(menu, _MENU_END)
        if self._facts.tainted:
            menu.addSeparator()
            menu.addAction(tr("What it has read…")).triggered.connect(self.taint_asked)
        menu.popup(self._menu.mapToGlobal(QPoint(0, self._menu.height())))

    def _on_successor(self) -> None:
        self.successor_asked.emit(QRect(self._menu.mapToGlobal(QPoint(0, 0)), self._menu.size()))

    def _add_actions(self, menu: QMenu, ids: tuple[str, ...]) -> None:
        """Those actions of the window that there are; what would disturb a turn only while none runs."""
        running = self._facts is not None and self._facts.turn_running
        for spec in (one for action_id in ids for one in ACTIONS if one.id == action_id):
            entry = menu.addAction(spec.title)
            set_action_off(
                entry, tr("Wait until the turn has ended.") if running and spec.id in _NOT_WHILE_RUNNING else ""
            )
            entry.triggered.connect(partial(self.action_asked.emit, spec.id))

    def _on_renamed(self) -> None:
        title = self._edit.text().strip()
        self._end_edit()
        self.renamed.emit(title)

    def _end_edit(self) -> None:
        self._edit.hide()
        self._title.show()

    def _tip(self) -> str:
        return plain_tooltip(self._title.full_text)

    def _take_icon(self) -> None:
        in_lane = self._facts is not None and bool(self._facts.lane_name) and not self._facts.primary
        self._icon.setPixmap(
            pixmap("git-branch" if in_lane else "message-square", "accent", ICON_LINE, self.devicePixelRatio())
        )

    def _take_theme(self) -> None:
        self.setFixedHeight(theme().px(HEADER))
        self._take_icon()
        self.refresh_state()
