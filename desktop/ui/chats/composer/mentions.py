"""Mentions: what can be named with an `@`, and resources of servers, listed as it is written (ui-U123)."""

from collections.abc import Callable
from datetime import datetime

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QKeyEvent, QTextCursor

from desktop.domain.chats.commands import FindMentions
from desktop.domain.chats.mentions import KINDS, Begun, MentionKind, begun_at
from desktop.domain.chats.updates import MentionRow, MentionsFound
from desktop.domain.display.text import display_text
from desktop.domain.updates import CommandFailed
from desktop.language import number, said, tr
from desktop.ui.chats.composer.composer import Composer
from desktop.ui.chats.composer.server_mentions import ServerMentions
from desktop.ui.chats.composer.slash_popup import SlashPopup
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Request, Requests, answer
from desktop.ui.text.format import clock_time, local_date
from desktop.ui.widgets.pick_list import PickItem

_ASK_AFTER_MS = 100
_MORE_AFTER_MS = 300
_ICONS: dict[MentionKind, str] = {
    "file": "file-text",
    "folder": "folder",
    "lane": "folder-git-2",
    "chat": "message-square",
    "proof": "image",
    "symbol": "tag",
    "agent": "bot",
}
_KIND_WORDS: dict[MentionKind, str] = {
    "file": tr("A file of the lane"),
    "folder": tr("A folder of the lane: its files are named"),
    "lane": tr("A lane: its branch and how it stands"),
    "chat": tr("Another chat: a digest of it"),
    "proof": tr("A proof of this lane"),
    "symbol": tr("A place where something is defined"),
    "agent": tr("A sub-agent that is to do it"),
}
_SHORT: dict[MentionKind, str] = {
    "file": tr("file"),
    "folder": tr("folder"),
    "lane": tr("lane"),
    "chat": tr("chat"),
    "proof": tr("proof"),
    "symbol": tr("symbol"),
    "agent": tr("agent"),
}
_NONE: dict[MentionKind, str] = {
    "file": tr("No file has these letters."),
    "folder": tr("No folder has these letters."),
    "lane": tr("No lane has these letters."),
    "chat": tr("No chat has these letters."),
    "proof": tr("No proof has these letters."),
    "symbol": tr("No symbol has these letters."),
    "agent": tr("No agent has these letters."),
}


class Mentions(QObject):
    """Lists what can be named, over the field, which keeps the focus. What is named is read when the message is sent;
    nothing is read by writing it. An answer to what is not written any more is not shown."""

    def __init__(self, composer: Composer, requests: Requests, session_id: Callable[[], str]) -> None:
        """`session_id`: the chat that is written to, "" for a new one."""
        super().__init__(composer)
        self._field, self._requests, self._session_id = composer.text, requests, session_id
        self._asking = Request()
        self._asked: Begun | None = None
        self._found: tuple[MentionRow, ...] = ()
        self._more = False
        self._left = self._said = ""
        self._soon = self._timer(_ASK_AFTER_MS)
        self._later = self._timer(_MORE_AFTER_MS)
        self.servers = ServerMentions(requests, self)
        self.servers.changed.connect(self._show_again)
        self.hearing = Hearing(self.servers.hearing)
        self.popup = SlashPopup(composer, "mention", tr("What can be named"))
        self.popup.picked.connect(self._take)
        self._field.focus_changed.connect(self._on_focus)

    def begin(self) -> None:
        """Write an `@` at the caret, with a blank before it where one is needed, and list what can be named."""
        self._field.setFocus()
        cursor = self._field.textCursor()
        before = self._before()
        cursor.insertText("@" if not before or before[-1].isspace() or before[-1] == "(" else " @")
        self._field.setTextCursor(cursor)

    def on_text(self) -> None:
        """What is written changed: list what fits, or nothing."""
        before = self._before() if self._field.hasFocus() else ""
        server, begun = self.servers.at(before), begun_at(before)
        if server is not None:
            self._forget()
            if server.text == self._left:
                self.popup.hide()
            else:
                self._left = ""
                self._list(self.servers.items(server))
            return
        if begun is None or begun.written == self._left:
            self._forget()
            self.popup.hide()
            return
        self._left = ""
        if begun == self._asked:
            return
        if begun.query:
            self._soon.start()
        else:
            self._ask()
        self._list(self._items(begun))

    def on_key(self, event: QKeyEvent) -> bool:
        """Keys of the open list; True: the field does not get it."""
        if not self.popup.isVisible():
            return False
        key = event.key()
        if key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.popup.step(1 if key == Qt.Key.Key_Down else -1)
            self._say(self.popup.current_words)
        elif key == Qt.Key.Key_Escape:
            self._left = self._written()
            self.popup.hide()
        elif key == Qt.Key.Key_Tab or (key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers()):
            if not self.popup.current:
                return False
            self._take(self.popup.current)
        else:
            return False
        return True

    def _timer(self, after_ms: int) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(after_ms)
        timer.timeout.connect(self._ask)
        return timer

    def _before(self) -> str:
        cursor = self._field.textCursor()
        return cursor.block().text()[: cursor.positionInBlock()]

    def _written(self) -> str:
        """What is written of the mention at the caret."""
        before = self._before()
        server, begun = self.servers.at(before), begun_at(before)
        return server.text if server is not None else begun.written if begun is not None else ""

    def _forget(self) -> None:
        self._soon.stop()
        self._later.stop()
        self._asking.drop()
        self._asked, self._found, self._more = None, (), False

    def _ask(self) -> None:
        begun = begun_at(self._before())
        self._soon.stop()
        self._asking.drop()
        if begun is None:
            return
        self._asked = begun
        command = FindMentions(session_id=self._session_id(), kind=begun.kind, query=begun.query)

        def take(found: MentionsFound) -> None:
            self._on_found(begun, found)

        self._asking = self._requests.ask(command, self, answer(MentionsFound, take), failed=self._on_failed)

    def _on_found(self, asked: Begun, found: MentionsFound) -> None:
        if asked != begun_at(self._before()) or not self._field.hasFocus() or asked.written == self._left:
            return
        self._found, self._more = found.rows, found.more
        if found.more:
            self._later.start()
        self._list(self._items(asked))

    def _on_failed(self, failed: CommandFailed) -> None:
        self._found, self._more = (), False
        self._show_again()

    def _show_again(self) -> None:
        written = self._written()
        if not written or written == self._left or not self._field.hasFocus():
            return
        before = self._before()
        server, begun = self.servers.at(before), begun_at(before)
        if server is not None:
            self._list(self.servers.items(server))
        elif begun is not None:
            self._list(self._items(begun))

    def _items(self, begun: Begun) -> list[PickItem]:
        items = [_row_item(row) for row in self._found]
        if not begun.kind:
            items += self.servers.named(begun.query)
            items += [_kind_item(kind) for kind in KINDS if kind.startswith(begun.query)]
        elif not items and self._asked == begun and not self._asking.is_waiting:
            words = tr("Reading the lane's files…") if self._more else _NONE[begun.kind]
            items.append(PickItem("", words, icon="info"))
        return items

    def _list(self, items: list[PickItem]) -> None:
        opens = not self.popup.isVisible()
        self.popup.show_items(items)
        if opens and items:
            self._say(tr("{n} can be named. {first}", n=number(len(items)), first=self.popup.current_words))

    def _say(self, words: str) -> None:
        """Tell a screen reader, which follows the field and not the list."""
        if words and words != self._said:
            self._said = words
            event = QAccessibleAnnouncementEvent(self._field, words)
            event.setPoliteness(QAccessible.AnnouncementPoliteness.Polite)
            QAccessible.updateAccessibility(event)

    def _take(self, text: str) -> None:
        """Write the entry in place of what was begun; one that is whole is followed by a blank."""
        written = self._written()
        self.popup.hide()
        if not written or not text:
            return
        cursor = self._field.textCursor()
        cursor.movePosition(QTextCursor.MoveOperation.Left, QTextCursor.MoveMode.KeepAnchor, len(written))
        goes_on = text.endswith((":", "/"))
        whole = self.servers.is_whole(text) if ":" in text and not _is_ours(text) else not goes_on
        self._left = text if text.endswith("/") else ""
        cursor.insertText(f"{text} " if whole else text)
        self._field.setTextCursor(cursor)

    def _on_focus(self, focused: bool) -> None:
        if not focused:
            self._forget()
            self.popup.hide()


def _is_ours(text: str) -> bool:
    """Whether a mention names what the lane, its chats or its proofs have."""
    head = text.removeprefix("@").partition(":")[0]
    return head in KINDS or text.startswith('@"') or "/" in head


def _row_item(row: MentionRow) -> PickItem:
    detail = display_text(said(row.detail) if row.kind == "agent" else row.detail)
    if row.kind == "proof":
        at = datetime.fromisoformat(row.detail)
        detail = f"{local_date(at)} {clock_time(at)}"
    return PickItem(row.text, display_text(row.title), detail, _SHORT[row.kind], _ICONS[row.kind])


def _kind_item(kind: MentionKind) -> PickItem:
    return PickItem(f"@{kind}:", f"@{kind}:", _KIND_WORDS[kind], icon=_ICONS[kind])
