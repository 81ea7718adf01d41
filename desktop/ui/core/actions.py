"""The actions of the window: id, title, keys, icon, when it is enabled. Menus, palette and tooltips read it; the themes
that have a tab of the inspector bring its action."""

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from desktop.language import tr
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


_KEYS = {
    "Ctrl": tr("Ctrl"),
    "Shift": tr("Shift"),
    "Return": tr("Return", context="a key"),
    "Space": tr("Space", context="a key"),
    "Up": tr("Up", context="a key"),
    "Down": tr("Down", context="a key"),
    "Left": tr("Left", context="a key"),
    "Right": tr("Right", context="a key"),
    "PgUp": tr("PgUp"),
    "PgDown": tr("PgDown"),
    "Home": tr("Home", context="a key"),
    "End": tr("End", context="a key"),
    "Ins": tr("Ins"),
    "Del": tr("Del"),
}


def native_keys(keys: str) -> str:
    """Keys as people read them, with the names that stand on the keyboards of the language."""
    native = QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)
    return "+".join(_KEYS.get(key, key) for key in native.split("+"))


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
        return native_keys(self.keys[0]) if self.keys else ""


ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec("palette", tr("Search or run a command"), ("Ctrl+K",), "search"),
    ActionSpec("new_chat", tr("New chat"), ("Ctrl+N",), "plus", _project),
    ActionSpec("new_lane", tr("New lane…"), ("Ctrl+Shift+N",), "git-branch", _project),
    ActionSpec("import_lane", tr("Import lane…"), (), "folder-git-2", _project),
    ActionSpec("several_models", tr("Send to several models or agents…"), (), "columns-2", _project),
    ActionSpec("new_window", tr("New window"), ("Ctrl+Alt+N",), "external-link"),
    ActionSpec("chat_window", tr("Open chat in new window"), (), "external-link", _chat),
    ActionSpec("open_beside", tr("Open a chat beside this one"), ("Ctrl+\\",), "columns-2", _project),
    ActionSpec("close_pane", tr("Close this pane"), ("Ctrl+Shift+W",), "x", _two_panes),
    ActionSpec("other_pane", tr("Go to the other chat on screen"), ("Ctrl+F6",), "chevron-right", _two_panes),
    ActionSpec("open_project", tr("Open repository…"), ("Ctrl+O",), "folder-open"),
    ActionSpec("settings", tr("Settings…"), ("Ctrl+,",), "settings"),
    ActionSpec("guide", tr("Help: your first change…"), (), "book-open"),
    ActionSpec("shortcuts", tr("Help: all keys…"), ("F1",), "keyboard"),
    ActionSpec("promises", tr("Help: what Banksman promises…"), (), "shield"),
    ActionSpec("toggle_sidebar", tr("Show or hide the sidebar"), ("Ctrl+B",), "panel-left"),
    ActionSpec("toggle_inspector", tr("Show or hide the inspector"), ("Ctrl+Alt+B",), "panel-right"),
    ActionSpec("terminal", tr("Terminal"), ("Ctrl+`",), "square-terminal", _project),
    ActionSpec("new_terminal", tr("New terminal"), ("Ctrl+Shift+`", "Ctrl+~"), "plus", _project),
    ActionSpec("stop", tr("Stop the turn"), ("Ctrl+.",), "square-filled", _running),
    ActionSpec("stop_after_step", tr("Stop the turn after the current step"), (), "circle-pause", _running),
    ActionSpec("attach", tr("Attach files…"), (), "paperclip", _project),
    ActionSpec("mention", tr("Name a file, a lane or a chat…"), (), "at-sign", _project),
    ActionSpec("compact", tr("Summarise earlier messages"), (), "scissors", _chat),
    ActionSpec("clear_context", tr("Clear the context"), (), "rotate-ccw", _chat),
    ActionSpec("cycle_mode", tr("Next mode"), ("Ctrl+Shift+M",), "shield", _project),
    ActionSpec("choose_model", tr("Choose model"), ("Ctrl+Shift+O",), "sparkles", _project),
    ActionSpec("inbox", tr("Inbox: all that waits for you"), ("Ctrl+Shift+A",), "bell"),
    ActionSpec("next_waiting", tr("Next waiting card"), ("F8", "Ctrl+J"), "bell", _waiting),
    ActionSpec("previous_waiting", tr("Previous waiting card"), ("Shift+F8", "Ctrl+Shift+J"), "bell", _waiting),
    ActionSpec("focus_composer", tr("Write a message"), ("Ctrl+L",), "message-square", _project),
    ActionSpec("next_chat", tr("Next chat"), ("Ctrl+Tab",), "arrow-down", _several),
    ActionSpec("previous_chat", tr("Previous chat"), ("Ctrl+Shift+Tab",), "arrow-up", _several),
    ActionSpec("changes_next_file", tr("Changes: next file"), (), "arrow-down", _chat),
    ActionSpec("changes_previous_file", tr("Changes: previous file"), (), "arrow-up", _chat),
    ActionSpec("changes_next_change", tr("Changes: next change"), (), "arrow-down", _chat),
    ActionSpec("changes_previous_change", tr("Changes: previous change"), (), "arrow-up", _chat),
    ActionSpec("changes_viewed", tr("Changes: mark the file as viewed, or not"), (), "eye", _chat),
    ActionSpec("changes_unified", tr("Changes: in one column"), (), "list", _chat),
    ActionSpec("changes_split", tr("Changes: side by side"), (), "columns-2", _chat),
    ActionSpec("changes_large", tr("Changes: open large, or back to the side"), (), "maximize-2", _chat),
    ActionSpec(
        "changes_more_lines", tr("Changes: show 20 more lines around each change"), (), "unfold-vertical", _chat
    ),
    ActionSpec("changes_whole_file", tr("Changes: show the whole file"), (), "file-text", _chat),
    ActionSpec("changes_filter", tr("Changes: filter files"), (), "list-filter", _chat),
    ActionSpec("changes_editor", tr("Changes: open the file in the editor"), (), "external-link", _chat),
    ActionSpec("changes_comment", tr("Changes: comment on the line"), (), "message-square", _chat),
    ActionSpec("changes_send_comments", tr("Changes: send the comments to the agent"), (), "message-square", _chat),
    ActionSpec("changes_revert_change", tr("Changes: revert the change…"), (), "undo-2", _chat),
    ActionSpec("changes_revert_file", tr("Changes: revert the file…"), (), "undo-2", _chat),
    ActionSpec("changes_commit", tr("Changes: commit…"), (), "git-commit-vertical", _chat),
    ActionSpec("changes_push", tr("Changes: push the branch"), (), "git-branch", _chat),
    ActionSpec("pr_open", tr("Pull request: open PR…"), (), "git-pull-request", _chat),
    ActionSpec("pr_refresh", tr("Pull request: refresh"), (), "refresh-cw", _chat),
    ActionSpec("pr_merge", tr("Pull request: merge…"), (), "git-merge", _chat),
    ActionSpec("pr_list", tr("Pull requests of the repository…"), (), "list", _chat),
    ActionSpec("next_pane", tr("Next pane"), ("F6",), "chevron-right"),
    ActionSpec("previous_pane", tr("Previous pane"), ("Shift+F6",), "chevron-left"),
    ActionSpec("filter_chats", tr("Filter chats"), (), "search", _project),
    ActionSpec("find", tr("Find in this chat"), ("Ctrl+F",), "search", _chat),
    ActionSpec("find_next", tr("Find the next match"), ("F3",), "arrow-down", _chat),
    ActionSpec("find_previous", tr("Find the previous match"), ("Shift+F3",), "arrow-up", _chat),
    ActionSpec("search_chats", tr("Search all chats"), ("Ctrl+Shift+F",), "search", _several),
    ActionSpec("board", tr("Board: all chats by what they need"), (), "columns-2", _project),
    ActionSpec("compared", tr("Compare the results of one task"), (), "columns-2", _project),
    ActionSpec("handover", tr("Handover: what happened, what is open"), (), "history", _project),
    ActionSpec("rename", tr("Rename chat"), ("F2",), "pencil", _chat),
    ActionSpec("archive", tr("Archive chat"), (), "archive", _chat),
    ActionSpec("pin_chat", tr("Pin or unpin chat"), (), "arrow-up", _chat),
    ActionSpec("mute_chat", tr("Mute or unmute notifications"), (), "bell-off", _chat),
    ActionSpec("fork_chat", tr("Fork chat"), (), "git-fork", _chat),
    ActionSpec("export_chat", tr("Export chat…"), (), "file-text", _chat),
    ActionSpec("import_chat", tr("Import chat…"), (), "folder-open", _project),
    ActionSpec("instructions", tr("Instruction files…"), (), "file-text", _chat),
    ActionSpec("delete_chat", tr("Delete chat…"), (), "trash-2", _chat),
    ActionSpec("delete_lanes", tr("Delete lanes…"), (), "trash-2", _project),
    ActionSpec("deleted_lanes", tr("Recently deleted lanes…"), (), "trash-2", _project),
    ActionSpec("theme_system", tr("Theme: system"), (), "palette"),
    ActionSpec("theme_light", tr("Theme: light"), (), "palette"),
    ActionSpec("theme_dark", tr("Theme: dark"), (), "palette"),
    ActionSpec("zoom_in", tr("Zoom in"), ("Ctrl+=", "Ctrl++"), "plus"),
    ActionSpec("zoom_out", tr("Zoom out"), ("Ctrl+-",), "minus"),
    ActionSpec("zoom_reset", tr("Zoom to 100 %"), ("Ctrl+0",), "rotate-ccw"),
    ActionSpec("full_screen", tr("Full screen"), ("F11",), "external-link"),
    ActionSpec("close_window", tr("Close window"), ("Ctrl+W",), "x"),
    ActionSpec("quit", tr("Quit"), ("Ctrl+Q",), "log-out"),
    *(
        ActionSpec(f"chat_{n}", tr("Chat {n} in the sidebar", n=n), (f"Ctrl+{n}",), "", _several, in_palette=False)
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
