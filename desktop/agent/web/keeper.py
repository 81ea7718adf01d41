"""WebKeeper: the web as chats have it: what is set up, what is asked for them, and the commands about it."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pydantic import JsonValue, SecretStr

from desktop.agent.core.commands import Handler
from desktop.agent.core.session import Publish, Session
from desktop.agent.egress.upstream import own_upstream
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.config.web import SEARCHES, WebSettings
from desktop.domain.core.command import Command
from desktop.domain.core.errors import BanksmanError, CommandError
from desktop.domain.core.update import Update
from desktop.domain.egress.values import Traffic
from desktop.domain.events import Envelope
from desktop.domain.updates import SettingsChanged
from desktop.domain.web.commands import LoadSearchKeys, RemoveSearchKey, SaveSearchKey, TrySearch
from desktop.domain.web.events import VendorSearched
from desktop.domain.web.updates import SearchKeysChanged, SearchTried
from desktop.late import late
from desktop.policy.network.hosts import Refused
from desktop.policy.network.urls import WebAddress, check_url
from desktop.policy.web import WebFacts, may_look_up, web_facts
from desktop.services.egress.connecting import Resolver
from desktop.tools.calls.web import WebHit, WebHits, WebPage, WebRequest, requests_data
from desktop.tools.tool import ToolError
from desktop.tools.untrusted import untrusted

if TYPE_CHECKING:
    from desktop.services.web.client import Sent, WebClient
    from desktop.services.web.reader import WebReader
    from desktop.services.web.search import Search

TRIED = "weather"


class WebKeeper:
    """Engine thread only. `resolve`: the addresses of hosts; `note`: told what went out, and for which chat."""

    def __init__(
        self,
        settings: SettingsKeeper,
        publish: Publish,
        resolve: Resolver,
        note: Callable[[str, Traffic], None],
    ) -> None:
        self._settings, self._publish, self._resolve = settings, publish, resolve
        self.note = note
        self._keys: dict[str, str] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._parts: tuple[WebClient, WebReader] | None = None

    def handlers(self) -> dict[type[Command], Handler]:
        """The commands about the web."""
        return {
            SaveSearchKey: self.save_key,
            RemoveSearchKey: self.remove_key,
            LoadSearchKeys: self.tell_keys,
            TrySearch: self.try_search,
        }

    @property
    def web(self) -> WebSettings:
        """What is set up now."""
        return self._settings.current.web

    @property
    def private(self) -> frozenset[str]:
        """The hosts that a person named, which need not be public."""
        return frozenset(self.web.private_hosts)

    def facts(self, url: str, read: frozenset[str]) -> WebFacts:
        """What the gate knows of an address."""
        redactor = self._settings.redactor
        facts = web_facts(url, private=self.private, secrets=redactor.known_in, read=read)
        shaped = () if facts.fault else redactor.redact(facts.url).found
        flags = tuple(f"It holds what looks like a secret ({name})." for name in shaped)
        return facts.model_copy(update={"flags": (*flags, *facts.flags)}) if flags else facts

    # Searching

    def begin(self) -> None:
        """Look for the key of the search that is set up, where the web is switched on."""
        if self.web.enabled and self.web.search:
            task = asyncio.create_task(self._load(self.web.search))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def saw(self, update: Update) -> None:
        """The settings changed: another search may be set up. A model's service searched by itself: that is counted."""
        if isinstance(update, SettingsChanged):
            self.begin()
        elif isinstance(update, Envelope) and update.kind == "vendor_searched":
            event = update.event
            assert isinstance(event, VendorSearched)
            self.note(update.session_id, Traffic(kind="vendor", host=event.host, port=event.port, connections=1))

    def search_of(self, web: WebSettings) -> "Search | None":
        """What searches with these settings, None for nothing."""
        address = check_url(web.search_address) if web.search != "searxng" else _named(web.searxng_url)
        key = self._keys.get(web.search, "")
        if not web.search or isinstance(address, Refused) or (SEARCHES[web.search].site and not key):
            return None
        private = frozenset({address.host.name}) if web.search == "searxng" else frozenset[str]()
        made: Search = late("desktop.services.web.search").Search(web.search, web.search_address, key, private)
        return made

    def can_search(self) -> bool:
        """Whether a search is set up. Imports nothing."""
        web = self.web
        if not web.enabled or not web.search or not web.search_address:
            return False
        return not SEARCHES[web.search].site or bool(self._keys.get(web.search))

    def search_facts(self) -> WebFacts:
        """What the gate knows of a search: the host that gets the words. A person chose it, so that grants may speak of
        it whatever its port."""
        address = _named(self.web.search_address)
        if isinstance(address, Refused):
            return WebFacts(url=self.web.search_address, fault=address.reason)
        label = SEARCHES[self.web.search].label
        flag = f"{label} ({address.host.shown}) gets the words, which the agent wrote."
        place = f"{address.scheme}://{address.host.in_url}"
        return WebFacts(
            url=place,
            host=address.host.name,
            shown=address.host.shown,
            port=address.port,
            usual=True,
            flags=(flag,),
        )

    async def save_key(self, command: SaveSearchKey) -> None:
        """Keep the key of a search service."""
        service = SEARCHES.get(command.service)
        value = command.key.get_secret_value().strip()
        if service is None or not service.site:
            raise CommandError("search_key", "This search needs no key.")
        if not value or not value.isascii() or not value.isprintable() or " " in value:
            raise CommandError("search_key", f"The key for {service.label} is empty or holds odd characters.")
        await self._settings.keys.entries.keep(_entry(command.service), service.address, value)
        self._keys[command.service] = value
        self._settings.know_secrets()
        await self.tell_keys()

    async def remove_key(self, command: RemoveSearchKey) -> None:
        """Forget it, wherever it is."""
        await self._settings.keys.entries.forget(_entry(command.service))
        self._keys.pop(command.service, None)
        await self.tell_keys()

    async def tell_keys(self, command: Command | None = None) -> None:
        """Tell the window which services have a key."""
        for name, service in SEARCHES.items():
            if service.site:
                await self._load(name)
        entries = self._settings.keys.entries
        asked = command.command_id if command is not None else ""
        self._publish(SearchKeysChanged(services=tuple(self._keys), keyring_problem=entries.problem, command_id=asked))

    async def try_search(self, command: TrySearch) -> None:
        """Search once with these settings."""
        await self._load(command.settings.search)
        with_ = self.search_of(command.settings)
        ok, text = False, "Give the key or the address of the search first."
        if with_ is not None:
            try:
                found = await self.search(with_, TRIED, 5, self._tried)
                ok, text = True, f"It works: {len(found)} results for “{TRIED}”."
            except BanksmanError as error:
                text = str(error)
        self._publish(SearchTried(command_id=command.command_id, ok=ok, text=text))

    def _tried(self, sent: "Sent") -> None:
        """A search that a person tries in Settings belongs to no chat, so it is of the project's record."""
        self.note("", sent.as_traffic("web"))

    async def search(
        self, with_: "Search", query: str, count: int, told: "Callable[[Sent], None]"
    ) -> tuple[WebHit, ...]:
        """The results of a search.

        Raises:
            BanksmanError: there are none to be had.
        """
        client, _reader = await self.parts()
        found = await late("desktop.services.web.search").search(client, with_, query, count, told)
        return tuple(WebHit(title=one.title, url=one.url, snippet=one.snippet) for one in found)

    async def _load(self, service: str) -> None:
        if service in SEARCHES and SEARCHES[service].site and service not in self._keys:
            entry = await self._settings.keys.entries.entry(_entry(service))
            if entry is not None and entry[0] == SEARCHES[service].address:
                self._keys[service] = entry[1]
                self._settings.know_secrets()

    # Asking

    async def parts(self) -> "tuple[WebClient, WebReader]":
        """What asks and what reads; imported on a worker thread at the first request."""
        if self._parts is None:
            await asyncio.to_thread(_load_parts)
        if self._parts is None:
            client = late("desktop.services.web.client").WebClient(
                resolve=self._resolve, upstream=own_upstream(self._settings)
            )
            self._parts = client, late("desktop.services.web.reader").WebReader(client, resolve=self._resolve)
        return self._parts


class SessionWeb:
    """The web of one chat."""

    def __init__(self, keeper: WebKeeper, session: Session) -> None:
        self._keeper, self._session = keeper, session

    def facts(self, url: str, read: frozenset[str], /) -> WebFacts:
        """What the gate knows of an address."""
        return self._keeper.facts(url, read)

    async def place(self, url: str, /) -> str:
        """Where an address leads, if its name may be looked up unasked: never for a chat that read from outside."""
        if self._session.state.tainted or not may_look_up(self.facts(url, frozenset())):
            return ""
        _client, reader = await self._keeper.parts()
        return await reader.place(url, self._keeper.private)

    async def look(self, url: str, /) -> tuple[str, ...]:
        """Where an address leads and what its site asks of programs, in sentences."""
        _client, reader = await self._keeper.parts()
        return await reader.look(url, self._keeper.private, Requests(self._session, self._keeper.note))

    async def fetch(self, url: str, /, *, approved: bool, header: tuple[str, SecretStr] | None = None) -> WebPage:
        """The page. Raises ToolError: it cannot be had."""
        _client, reader = await self._keeper.parts()
        made = Requests(self._session, self._keeper.note)
        with made.told_of("not fetched", f"web:{self.facts(url, frozenset()).host}"):
            answer, page = await reader.read(url, self._keeper.private, made, obeys=not approved, header=header)
        return WebPage(
            url=answer.address.text,
            host=answer.address.host.name,
            status=answer.status,
            media_type=answer.media_type,
            text=page.text,
            title=page.title,
            removed=page.removed_words,
            moved_to=answer.moved_to,
            plain=page.plain,
            requests=tuple(made.all),
        )


class SessionSearch:
    """Searches of one chat."""

    def __init__(self, keeper: WebKeeper, session: Session) -> None:
        self._keeper, self._session = keeper, session

    @property
    def name(self) -> str:
        """Who searches."""
        return SEARCHES[self._keeper.web.search].label

    def facts(self, query: str, /) -> WebFacts:
        """What the gate knows of a search."""
        return self._keeper.search_facts()

    async def search(self, query: str, count: int, /) -> WebHits:
        """The results. Raises ToolError: there are none to be had."""
        with_ = self._keeper.search_of(self._keeper.web)
        if with_ is None:
            raise ToolError("No search is set up any more.")
        made = Requests(self._session, self._keeper.note)
        with made.told_of("not searched", "web:search"):
            hits = await self._keeper.search(with_, query, count, made)
        return WebHits(hits=hits, requests=tuple(made.all))


class Requests:
    """What left this computer for one call: `all` of it, in order; each is counted with what goes out for the chat."""

    def __init__(self, session: Session, note: Callable[[str, Traffic], None]) -> None:
        self.all: list[WebRequest] = []
        self._session, self._note = session, note

    def __call__(self, sent: "Sent") -> None:
        """One more."""
        self._note(self._session.session_id, sent.as_traffic("web"))
        self.all.append(
            WebRequest(
                host=sent.host,
                port=sent.port,
                ip=sent.ip,
                status=sent.status,
                sent_bytes=sent.sent_bytes,
                received_bytes=sent.received_bytes,
                duration_ms=sent.duration_ms,
                refused=sent.refused,
            )
        )

    @contextmanager
    def told_of(self, summary: str, source: str) -> Iterator[None]:
        """What fails within is an error of the tool, with what was sent all the same. Words of a server in it are
        marked as of this source."""
        try:
            yield
        except BanksmanError as error:
            data: dict[str, JsonValue] = {"requests": requests_data(self.all)}
            foreign: bool = isinstance(error, late("desktop.services.web.errors").WebError) and error.foreign
            if foreign:
                said = untrusted(source, str(error))
                raise ToolError(said, summary=summary, data=data, untrusted=(source,)) from error
            raise ToolError(str(error), summary=summary, data=data) from error


def _named(url: str) -> WebAddress | Refused:
    """An address that a person gave, wherever it leads."""
    host = url.partition("://")[2].partition("/")[0]
    name = host if host.startswith("[") else host.partition(":")[0]
    return check_url(url, private=frozenset({name.lower().strip("[]").rstrip(".")}))


def _entry(service: str) -> str:
    return f"search:{service}"


def _load_parts() -> None:
    for name in ("client", "pages", "reader"):
        late(f"desktop.services.web.{name}")
