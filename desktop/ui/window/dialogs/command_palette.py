"""The command palette: every action that is possible now, those of the chat's lane, and every chat. Nothing in it can
answer a card."""

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QRect, Signal
from PySide6.QtWidgets import QWidget

from desktop.domain.core.work import SessionSummary
from desktop.domain.display.text import display_text, prose_text
from desktop.language import tr
from desktop.ui.core.actions import Actions
from desktop.ui.core.sidebar_row import CHAT_ICON, LANE_ICON, UNTITLED
from desktop.ui.lanes.menu import LaneAction
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_4
from desktop.ui.widgets.picker import Picker, PickItem

_WIDTH = 640
_ACTION, _CHAT = "action:", "chat:"
_LANE = f"{_ACTION}lane:"


class CommandPalette(Picker):
    """Prefix `>` lists actions only, `#` chats only. Emits what was picked."""

    action_picked = Signal(str)
    chat_picked = Signal(str)
    lane_picked = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        names = ("palette", "palette_field", "palette_list")
        super().__init__(
            names, tr("Search or run a command"), tr("Search chats and commands (> commands, # chats)"), parent
        )
        self.picked.connect(self._on_picked)

    def open_over(
        self,
        window: QWidget,
        actions: Actions,
        chats: Sequence[SessionSummary],
        text: str = "",
        lane: Sequence[LaneAction] = (),
    ) -> None:
        """Show it at the top of the window, filled with what is possible now. `lane`: with the lane on screen."""
        items = [_chat_item(chat) for chat in chats if not chat.archived]
        items += [
            PickItem(_ACTION + spec.id, spec.title, keys=spec.key_text, icon=spec.icon)
            for spec in actions.offered()
            if spec.id != "palette"
        ]
        items += [PickItem(_LANE + entry.id, entry.title, tr("this lane"), icon=entry.icon) for entry in lane]
        self.set_items(items, _split)
        width = min(theme().px(_WIDTH), window.width() - 2 * SPACE_4)
        top = window.mapToGlobal(QPoint((window.width() - width) // 2, theme().px(SPACE_4) // 4))
        self.open_at(QRect(top.x(), top.y(), width, theme().px(SPACE_4) * 2), text)

    def _on_picked(self, key: str) -> None:
        if key.startswith(_LANE):
            self.lane_picked.emit(key.removeprefix(_LANE))
        elif key.startswith(_ACTION):
            self.action_picked.emit(key.removeprefix(_ACTION))
        else:
            self.chat_picked.emit(key.removeprefix(_CHAT))


def _split(text: str) -> tuple[str, str]:
    prefix = {">": _ACTION, "#": _CHAT}.get(text[:1], "")
    return prefix, (text[1:] if prefix else text).strip()


def _chat_item(chat: SessionSummary) -> PickItem:
    detail = display_text(chat.lane_name or chat.branch)
    icon = LANE_ICON if chat.lane_id and not chat.primary else CHAT_ICON
    return PickItem(_CHAT + chat.session_id, prose_text(chat.title) or UNTITLED, detail, icon=icon)
