"""ServerMentions: `@server:` in a message, completed from what servers have; agents read what is named (guests-M24)."""

from PySide6.QtCore import QObject, QTimer, Signal

from desktop.domain.display.text import display_text
from desktop.domain.mcp.commands import CompleteMcpArgument, LoadMcpResources
from desktop.domain.mcp.mentions import Gap, Mention, fitting, gap_at, literal, mention_at, mention_of
from desktop.domain.mcp.updates import McpArgumentCompleted, McpResource, McpResourcesLoaded, McpServersListed
from desktop.domain.updates import CommandFailed
from desktop.language import tr
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Request, Requests, answer
from desktop.ui.widgets.pick_list import PickItem

_ASK_AFTER_MS = 150


class ServerMentions(QObject):
    """Knows the servers that a person accepted, and what they have. A mention is words of the message: nothing is read
    by writing it. `changed`: there is more to list than there was."""

    changed = Signal()

    def __init__(self, requests: Requests, parent: QObject) -> None:
        super().__init__(parent)
        self._requests = requests
        self._servers: tuple[str, ...] = ()
        self._resources: dict[str, tuple[McpResource, ...]] = {}
        self._listing = self._completing = Request()
        self._problem = self._asked_of = ""
        self._mention: Mention | None = None
        self._values: tuple[Gap, tuple[str, ...]] | None = None
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(_ASK_AFTER_MS)
        self._soon.timeout.connect(self._complete)
        self.hearing = Hearing().on(McpServersListed, self._on_listed)

    def named(self, beginning: str) -> list[PickItem]:
        """The servers whose names begin so."""
        return [_server_item(one) for one in self._servers if one.startswith(beginning)]

    def at(self, text: str) -> Mention | None:
        """The mention of something that a known server has, at the end of a text; None: there is none."""
        found = mention_at(text)
        is_known = found is not None and found.uri is not None and found.server_id in self._servers
        self._mention = found if is_known else None
        if self._mention is None:
            self._asked_of = ""
        return self._mention

    def items(self, mention: Mention) -> list[PickItem]:
        """What fits what is written; what is not known of the server yet is asked for."""
        if mention.server_id != self._asked_of:
            self._load(mention.server_id)
        gap = self._gap(mention)
        if self._values is not None and (gap is None or self._values[0] != gap[1]):
            self._values = None
        if gap is not None and self._values is None:
            self._soon.start()
        if self._values is not None:
            filled, values = self._values
            return [_value_item(mention.server_id, filled, value) for value in values]
        uri = mention.uri or ""
        known = fitting(self._resources.get(mention.server_id, ()), uri)
        items = [_item(mention.server_id, one) for one in known if _goes_on(one, uri)]
        return items or ([PickItem("", self._problem, icon="info")] if self._problem else [])

    def is_whole(self, text: str) -> bool:
        """Whether nothing is to be added to this mention."""
        taken = mention_at(text)
        known = self._resources.get(taken.server_id, ()) if taken is not None else ()
        return taken is not None and any(one.uri == taken.uri for one in known if not one.is_template)

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
        mention = self._mention
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
        found = self._gap(self._mention) if self._mention is not None else None
        if found is not None and found[1] == gap:
            self._values = (gap, tuple(value for value in values if value != gap.value))
            self.changed.emit()

    def _on_loaded(self, loaded: McpResourcesLoaded) -> None:
        self._resources[loaded.server_id] = loaded.resources
        self._problem = (
            "" if loaded.resources else tr("{server_id} has no resources.", server_id=display_text(loaded.server_id))
        )
        self.changed.emit()

    def _on_failed(self, failed: CommandFailed) -> None:
        self._problem = display_text(failed.text)
        self.changed.emit()

    def _on_listed(self, listed: McpServersListed) -> None:
        found = (one for one in listed.servers if one.accepted and one.server.enabled and not one.no_resources)
        self._servers = tuple(one.id for one in found)


def _goes_on(one: McpResource, written: str) -> bool:
    """Whether picking it would write more than there is."""
    return one.uri != written and not (one.is_template and written.startswith(literal(one.uri)))


def _server_item(server_id: str) -> PickItem:
    return PickItem(
        mention_of(server_id, ""), f"@{display_text(server_id)}", tr("Resources of this server"), "server", "server"
    )


def _item(server_id: str, one: McpResource) -> PickItem:
    words = " ".join(filter(None, (one.name, one.description)))
    key = mention_of(server_id, literal(one.uri) if one.is_template else one.uri)
    return PickItem(key, display_text(one.uri), display_text(" ".join(words.split())), icon="file-text")


def _value_item(server_id: str, gap: Gap, value: str) -> PickItem:
    return PickItem(mention_of(server_id, gap.filled(value)), display_text(value), icon="file-text")


def _unheard(failed: CommandFailed) -> None:
    """A server that proposes nothing is no news."""
