"""Mentions: `@server:` in a message, completed from what servers have; the agent reads what is named (guests-M24)."""

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QKeyEvent

from desktop.domain.display.text import display_text
from desktop.domain.mcp.commands import CompleteMcpArgument, LoadMcpResources
from desktop.domain.mcp.mentions import Gap, Mention, fitting, gap_at, literal, mention_at, mention_of
from desktop.domain.mcp.updates import McpArgumentCompleted, McpResource, McpResourcesLoaded, McpServersListed
from desktop.domain.updates import CommandFailed
from desktop.ui.chats.composer.composer import Composer
from desktop.ui.chats.composer.slash_popup import SlashPopup
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Request, Requests, answer
from desktop.ui.widgets.pick_list import PickItem

_ASK_AFTER_MS = 150


class Mentions(QObject):
    """Lists servers that a person accepted after `@`, and what one has after its name. A mention is words of the
    message: nothing is read by writing it."""

    def __init__(self, composer: Composer, requests: Requests) -> None:
        super().__init__(composer)
        self._field, self._requests = composer.text, requests
        self._servers: tuple[str, ...] = ()
        self._resources: dict[str, tuple[McpResource, ...]] = {}
        self._listing = self._completing = Request()
        self._problem = self._left = self._asked_of = ""
        self._values: tuple[Gap, tuple[str, ...]] | None = None
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(_ASK_AFTER_MS)
        self._soon.timeout.connect(self._complete)
        self.hearing = Hearing().on(McpServersListed, self._on_listed)
        self.popup = SlashPopup(composer, "mention", "Resources of MCP servers")
        self.popup.picked.connect(self._take)
        self._field.focus_changed.connect(self._on_focus)

    def on_text(self) -> None:
        """What is written changed: list what fits, or nothing."""
        mention = self._mention()
        if mention is None or mention.uri is None:
            self._asked_of = ""
        if mention is None or mention.text == self._left:
            self.popup.hide()
            return
        self._left = ""
        if mention.uri is not None and mention.server_id != self._asked_of:
            self._load(mention.server_id)
        self._show(mention)

    def on_key(self, event: QKeyEvent) -> bool:
        """Keys of the open list; True: the field does not get it."""
        if not self.popup.isVisible():
            return False
        key = event.key()
        if key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.popup.step(1 if key == Qt.Key.Key_Down else -1)
        elif key == Qt.Key.Key_Escape:
            mention = self._mention()
            self._left = mention.text if mention is not None else ""
            self.popup.hide()
        elif key == Qt.Key.Key_Tab or (key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers()):
            if not self.popup.current:
                return False
            self._take(self.popup.current)
        else:
            return False
        return True

    def _mention(self) -> Mention | None:
        """The mention at the caret, of a server that can be named."""
        if not self._servers or not self._field.hasFocus():
            return None
        cursor = self._field.textCursor()
        found = mention_at(cursor.block().text()[: cursor.positionInBlock()])
        return None if found is None or (found.uri is not None and found.server_id not in self._servers) else found

    def _show(self, mention: Mention) -> None:
        gap = self._gap(mention)
        if self._values is not None and (gap is None or self._values[0] != gap[1]):
            self._values = None
        if gap is not None and self._values is None:
            self._soon.start()
        self.popup.show_items(self._items(mention))

    def _items(self, mention: Mention) -> list[PickItem]:
        if mention.uri is None:
            return [_server_item(one) for one in self._servers if one.startswith(mention.server_id)]
        if self._values is not None:
            gap, values = self._values
            return [_value_item(mention.server_id, gap, value) for value in values]
        known = fitting(self._resources.get(mention.server_id, ()), mention.uri)
        items = [_item(mention.server_id, one) for one in known if _goes_on(one, mention.uri)]
        return items or ([PickItem("", self._problem, icon="info")] if self._problem else [])

    def _gap(self, mention: Mention) -> tuple[str, Gap] | None:
        """The template whose gap is being written, and the gap."""
        templates = [one.uri for one in self._resources.get(mention.server_id, ()) if one.is_template]
        found = ((one, gap_at(one, mention.uri or "")) for one in templates)
        return next(((one, gap) for one, gap in found if gap is not None), None)

    def _load(self, server_id: str) -> None:
        self._problem, self._asked_of = "", server_id
        self._listing.drop()
        self._listing = self._requests.ask(
            LoadMcpResources(server_id=server_id),
            self,
            answer(McpResourcesLoaded, self._on_loaded),
            failed=self._on_failed,
        )

    def _complete(self) -> None:
        mention = self._mention()
        found = self._gap(mention) if mention is not None else None
        self._completing.drop()
        if mention is None or found is None:
            return
        template, gap = found
        command = CompleteMcpArgument(
            server_id=mention.server_id,
            kind="resource",
            name=template,
            argument=gap.argument,
            value=gap.value,
            given=gap.given,
        )

        def take(completed: McpArgumentCompleted) -> None:
            self._on_completed(gap, completed.values)

        self._completing = self._requests.ask(command, self, answer(McpArgumentCompleted, take), failed=_unheard)

    def _on_completed(self, gap: Gap, values: tuple[str, ...]) -> None:
        mention = self._mention()
        found = self._gap(mention) if mention is not None else None
        if mention is not None and found is not None and found[1] == gap:
            self._values = (gap, tuple(value for value in values if value != gap.value))
            self._show(mention)

    def _on_loaded(self, loaded: McpResourcesLoaded) -> None:
        self._resources[loaded.server_id] = loaded.resources
        self._problem = "" if loaded.resources else f"{display_text(loaded.server_id)} has no resources."
        self._show_again()

    def _on_failed(self, failed: CommandFailed) -> None:
        self._problem = display_text(failed.text)
        self._show_again()

    def _show_again(self) -> None:
        mention = self._mention()
        if mention is not None and mention.text != self._left:
            self._show(mention)

    def _on_listed(self, listed: McpServersListed) -> None:
        found = (one for one in listed.servers if one.accepted and one.server.enabled and not one.no_resources)
        self._servers = tuple(one.id for one in found)

    def _take(self, text: str) -> None:
        """Write the entry in place of what was begun; one that is whole is followed by a blank."""
        mention = self._mention()
        self.popup.hide()
        if mention is None or not text:
            return
        cursor = self._field.textCursor()
        cursor.movePosition(cursor.MoveOperation.Left, cursor.MoveMode.KeepAnchor, len(mention.text))
        taken = mention_at(text)
        known = self._resources.get(mention.server_id, ())
        whole = taken is not None and any(one.uri == taken.uri for one in known if not one.is_template)
        cursor.insertText(f"{text} " if whole else text)
        self._field.setTextCursor(cursor)

    def _on_focus(self, focused: bool) -> None:
        if not focused:
            self.popup.hide()


def _goes_on(one: McpResource, written: str) -> bool:
    """Whether picking it would write more than there is."""
    return one.uri != written and not (one.is_template and written.startswith(literal(one.uri)))


def _server_item(server_id: str) -> PickItem:
    return PickItem(mention_of(server_id, ""), f"@{display_text(server_id)}", "Resources of this server", icon="server")


def _item(server_id: str, one: McpResource) -> PickItem:
    words = " ".join(filter(None, (one.name, one.description)))
    key = mention_of(server_id, literal(one.uri) if one.is_template else one.uri)
    return PickItem(key, display_text(one.uri), display_text(" ".join(words.split())), icon="file-text")


def _value_item(server_id: str, gap: Gap, value: str) -> PickItem:
    return PickItem(mention_of(server_id, gap.filled(value)), display_text(value), icon="file-text")


def _unheard(failed: CommandFailed) -> None:
    """A server that proposes nothing is no news."""
