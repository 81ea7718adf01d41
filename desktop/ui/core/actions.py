"""The actions of the window: id, title, keys, icon, when it is enabled. Menus, palette and tooltips read it; the themes
that have a tab of the inspector bring its action."""

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from desktop.records import dataclass
from desktop.ui.theme.icons import icon
from desktop.ui.theme.theme import theme


@dataclass(frozen=True)
class WindowFacts:
    """What decides which actions are enabled."""

    project: bool = False
    chat: bool = False
    turn_running: bool = False
    waiting: int = 0
    chats: int = 0
    two_panes: bool = False
    archived: bool = False


def _always(_facts: WindowFacts) -> bool:
    return True


def _project(facts: WindowFacts) -> bool:
    return facts.project


def _chat(facts: WindowFacts) -> bool:
    return facts.chat


def _running(facts: WindowFacts) -> bool:
    return facts.turn_running


def _waiting(facts: WindowFacts) -> bool:
    return facts.waiting > 0


def _two_panes(facts: WindowFacts) -> bool:
    return facts.two_panes


def _several(facts: WindowFacts) -> bool:
    return facts.chats > 0


@dataclass(frozen=True)
class ActionSpec:
    """One action. `keys`: Qt key sequences, the first is shown. `in_palette` False: by keys only (as Ctrl+1)."""

    id: str
    title: str
    keys: tuple[str, ...] = ()
    icon: str = ""
    when: Callable[[WindowFacts], bool] = _always
    in_palette: bool = True

    @property
    def key_text(self) -> str:
        """Its first keys as people read them, "" for none."""
        return QKeySequence(self.keys[0]).toString(QKeySequence.SequenceFormat.NativeText) if self.keys else ""


ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec("palette", "Search or run a command", ("Ctrl+K",), "search"),
    ActionSpec("new_chat", "New chat", ("Ctrl+N",), "plus", _project),
    ActionSpec("new_lane", "New lane…", ("Ctrl+Shift+N",), "git-branch", _project),
    ActionSpec("import_lane", "Import lane…", (), "folder-git-2", _project),
    ActionSpec("several_models", "Send to several models or agents…", (), "columns-2", _project),
    ActionSpec("new_window", "New window", ("Ctrl+Alt+N",), "external-link"),
    ActionSpec("chat_window", "Open chat in new window", (), "external-link", _chat),
    ActionSpec("open_beside", "Open a chat beside this one", ("Ctrl+\\",), "columns-2", _project),
    ActionSpec("close_pane", "Close this pane", ("Ctrl+Shift+W",), "x", _two_panes),
    ActionSpec("other_pane", "Go to the other chat on screen", ("Ctrl+F6",), "chevron-right", _two_panes),
    ActionSpec("open_project", "Open repository…", ("Ctrl+O",), "folder-open"),
    ActionSpec("settings", "Settings…", ("Ctrl+,",), "settings"),
    ActionSpec("guide", "Help: your first change…", (), "book-open"),
    ActionSpec("shortcuts", "Help: all keys…", ("F1",), "keyboard"),
    ActionSpec("promises", "Help: what Banksman promises…", (), "shield"),
    ActionSpec("toggle_sidebar", "Show or hide the sidebar", ("Ctrl+B",), "panel-left"),
    ActionSpec("toggle_inspector", "Show or hide the inspector", ("Ctrl+Alt+B",), "panel-right"),
    ActionSpec("terminal", "Terminal", ("Ctrl+`",), "square-terminal", _project),
    ActionSpec("new_terminal", "New terminal", ("Ctrl+Shift+`", "Ctrl+~"), "plus", _project),
    ActionSpec("stop", "Stop the turn", ("Ctrl+.",), "square", _running),
    ActionSpec("stop_after_step", "Stop the turn after the current step", (), "circle-pause", _running),
    ActionSpec("attach", "Attach files…", (), "paperclip", _project),
    ActionSpec("mention", "Name a file, a lane or a chat…", (), "at-sign", _project),
    ActionSpec("compact", "Summarise earlier messages", (), "scissors", _chat),
    ActionSpec("clear_context", "Clear the context", (), "rotate-ccw", _chat),
    ActionSpec("cycle_mode", "Next mode", ("Ctrl+Shift+M",), "shield", _project),
    ActionSpec("choose_model", "Choose model", ("Ctrl+Shift+O",), "sparkles", _project),
    ActionSpec("inbox", "Inbox: all that waits for you", ("Ctrl+Shift+A",), "bell"),
    ActionSpec("next_waiting", "Next waiting card", ("F8", "Ctrl+J"), "bell", _waiting),
    ActionSpec("previous_waiting", "Previous waiting card", ("Shift+F8", "Ctrl+Shift+J"), "bell", _waiting),
    ActionSpec("focus_composer", "Write a message", ("Ctrl+L",), "message-square", _project),
    ActionSpec("next_chat", "Next chat", ("Ctrl+Tab",), "arrow-down", _several),
    ActionSpec("previous_chat", "Previous chat", ("Ctrl+Shift+Tab",), "arrow-up", _several),
    ActionSpec("changes_next_file", "Changes: next file", (), "arrow-down", _chat),
    ActionSpec("changes_previous_file", "Changes: previous file", (), "arrow-up", _chat),
    ActionSpec("changes_next_change", "Changes: next change", (), "arrow-down", _chat),
    ActionSpec("changes_previous_change", "Changes: previous change", (), "arrow-up", _chat),
    ActionSpec("changes_viewed", "Changes: mark the file as viewed, or not", (), "eye", _chat),
    ActionSpec("changes_unified", "Changes: in one column", (), "list", _chat),
    ActionSpec("changes_split", "Changes: side by side", (), "columns-2", _chat),
    ActionSpec("changes_large", "Changes: open large, or back to the side", (), "maximize-2", _chat),
    ActionSpec("changes_more_lines", "Changes: show 20 more lines around each change", (), "unfold-vertical", _chat),
    ActionSpec("changes_whole_file", "Changes: show the whole file", (), "file-text", _chat),
    ActionSpec("changes_filter", "Changes: filter files", (), "list-filter", _chat),
    ActionSpec("changes_editor", "Changes: open the file in the editor", (), "external-link", _chat),
    ActionSpec("changes_comment", "Changes: comment on the line", (), "message-square", _chat),
    ActionSpec("changes_send_comments", "Changes: send the comments to the agent", (), "message-square", _chat),
    ActionSpec("changes_revert_change", "Changes: revert the change…", (), "undo-2", _chat),
    ActionSpec("changes_revert_file", "Changes: revert the file…", (), "undo-2", _chat),
    ActionSpec("changes_commit", "Changes: commit…", (), "git-commit-vertical", _chat),
    ActionSpec("changes_push", "Changes: push the branch", (), "git-branch", _chat),
    ActionSpec("pr_open", "Pull request: open PR…", (), "git-pull-request", _chat),
    ActionSpec("pr_refresh", "Pull request: refresh", (), "refresh-cw", _chat),
    ActionSpec("pr_merge", "Pull request: merge…", (), "git-merge", _chat),
    ActionSpec("pr_list", "Pull requests of the repository…", (), "list", _chat),
    ActionSpec("next_pane", "Next pane", ("F6",), "chevron-right"),
    ActionSpec("previous_pane", "Previous pane", ("Shift+F6",), "chevron-left"),
    ActionSpec("filter_chats", "Filter chats", (), "search", _project),
    ActionSpec("find", "Find in this chat", ("Ctrl+F",), "search", _chat),
    ActionSpec("find_next", "Find the next match", ("F3",), "arrow-down", _chat),
    ActionSpec("find_previous", "Find the previous match", ("Shift+F3",), "arrow-up", _chat),
    ActionSpec("search_chats", "Search all chats", ("Ctrl+Shift+F",), "search", _several),
    ActionSpec("board", "Board: all chats by what they need", (), "columns-2", _project),
    ActionSpec("compared", "Compare the results of one task", (), "columns-2", _project),
    ActionSpec("handover", "Handover: what happened, what is open", (), "history", _project),
    ActionSpec("rename", "Rename chat", ("F2",), "pencil", _chat),
    ActionSpec("archive", "Archive chat", (), "archive", _chat),
    ActionSpec("pin_chat", "Pin or unpin chat", (), "arrow-up", _chat),
    ActionSpec("mute_chat", "Mute or unmute notifications", (), "bell-off", _chat),
    ActionSpec("fork_chat", "Fork chat", (), "git-fork", _chat),
    ActionSpec("export_chat", "Export chat…", (), "file-text", _chat),
    ActionSpec("import_chat", "Import chat…", (), "folder-open", _project),
    ActionSpec("instructions", "Instruction files…", (), "file-text", _chat),
    ActionSpec("delete_chat", "Delete chat…", (), "trash-2", _chat),
    ActionSpec("delete_lanes", "Delete lanes…", (), "trash-2", _project),
    ActionSpec("deleted_lanes", "Recently deleted lanes…", (), "trash-2", _project),
    ActionSpec("theme_system", "Theme: system", (), "palette"),
    ActionSpec("theme_light", "Theme: light", (), "palette"),
    ActionSpec("theme_dark", "Theme: dark", (), "palette"),
    ActionSpec("zoom_in", "Zoom in", ("Ctrl+=", "Ctrl++"), "plus"),
    ActionSpec("zoom_out", "Zoom out", ("Ctrl+-",), "minus"),
    ActionSpec("zoom_reset", "Zoom to 100 %", ("Ctrl+0",), "circle"),
    ActionSpec("full_screen", "Full screen", ("F11",), "external-link"),
    ActionSpec("close_window", "Close window", ("Ctrl+W",), "x"),
    ActionSpec("quit", "Quit", ("Ctrl+Q",), "log-out"),
    *(
        ActionSpec(f"chat_{n}", f"Chat {n} in the sidebar", (f"Ctrl+{n}",), "", _several, in_palette=False)
        for n in range(1, 10)
    ),
)


def tab_action(name: str, title: str, keys: tuple[str, ...], icon: str) -> ActionSpec:
    """The action that shows a tab of the inspector."""
    return ActionSpec(f"tab_{name}", title, keys, icon, _chat)


BEGINNING = ("new_chat", "new_lane", "import_lane", "several_models")
"""By which something new is begun: what the plus over the lists offers."""


class Actions(QObject):
    """The window's QActions, each connected to its handler and named `action_<id>`."""

    def __init__(
        self, window: QWidget, specs: Sequence[ActionSpec], handlers: Mapping[str, Callable[[], object]]
    ) -> None:
        """`handlers` has one entry for every id of `specs`."""
        super().__init__(window)
        self._specs = tuple(specs)
        self._facts, self._ready = WindowFacts(), False
        self._actions: dict[str, QAction] = {}
        for spec in self._specs:
            action = QAction(spec.title, window)
            action.setObjectName(f"action_{spec.id}")
            action.setShortcuts([QKeySequence(keys) for keys in spec.keys])
            action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
            action.triggered.connect(_plain(handlers[spec.id]))
            window.addAction(action)
            self._actions[spec.id] = action
        self._take_icons()
        self.set_facts(self._facts)
        theme().changed.connect(self._take_icons)

    @property
    def specs(self) -> tuple[ActionSpec, ...]:
        """What they are, in order."""
        return self._specs

    def action(self, action_id: str) -> QAction:
        """The QAction of that id. Raises KeyError for an unknown one."""
        return self._actions[action_id]

    def set_facts(self, facts: WindowFacts) -> None:
        """Enable what is possible now."""
        if facts == self._facts and self._ready:
            return
        self._facts, self._ready = facts, True
        for spec in self._specs:
            self._actions[spec.id].setEnabled(spec.when(facts))

    def offered(self) -> list[ActionSpec]:
        """What the palette lists: enabled now."""
        return [spec for spec in self._specs if spec.in_palette and spec.when(self._facts)]

    def _take_icons(self) -> None:
        for spec in self._specs:
            if spec.id in BEGINNING:
                self._actions[spec.id].setIcon(icon(spec.icon))


def key_text(action_id: str) -> str:
    """The first keys of an action as people read them, "" for none; not of a tab, whose spec has its own."""
    return next((spec.key_text for spec in ACTIONS if spec.id == action_id), "")


def _plain(handler: Callable[[], object]) -> Callable[[], None]:
    """A slot without Qt's `checked` argument."""

    def run() -> None:
        handler()

    return run
