"""OwnGuests: the agents that are installed on this computer, started in the sandbox."""

import asyncio
import contextlib
import shutil
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from desktop.agent.guests.starting.launching import (
    GuestEar,
    GuestEnd,
    GuestFailed,
    GuestsFound,
    GuestWords,
    SignInProgram,
)
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.config.folders import Folders, resource_folder
from desktop.config.guests import GuestSettings
from desktop.config.settings import Endpoint
from desktop.domain.core.errors import BanksmanError, CommandError
from desktop.domain.core.service_kinds import DIALECT_WORDS
from desktop.domain.core.usage import Usage
from desktop.domain.guests.registry import FoundGuest, GuestFault, GuestGateway, GuestRow
from desktop.domain.guests.updates import GuestListing
from desktop.domain.guests.values import GuestGatewayWay, GuestSignIn
from desktop.policy.guests.controls import GuestKeeping
from desktop.providers.kinds import kind_of, request_cost
from desktop.providers.prices import warm_prices
from desktop.records import dataclass
from desktop.services.acp.wire import Wire
from desktop.services.guests.home import (
    Files,
    files_in,
    granted_folders,
    guest_home,
    home_path,
    remember_gateway,
    remembered_gateway,
)
from desktop.services.guests.launch import GatewaySignIn, GuestLauncher, GuestPlace, GuestProcess, ModelChoice
from desktop.services.guests.locate import find_guest, login_path, search_path
from desktop.services.guests.registry import FILE, Registry, read_registry
from desktop.services.peers.ring import LogRing
from desktop.services.processes.environment import clean_path
from desktop.services.processes.tree import ProcessFacts


@dataclass(frozen=True)
class Started:
    """A `RunningGuest` of this computer."""

    process: GuestProcess
    found: FoundGuest
    stamp: tuple[str, ...]

    @property
    def wire(self) -> Wire:
        """As `RunningGuest.wire`."""
        return self.process.wire

    @property
    def program(self) -> str:
        """As `RunningGuest.program`."""
        return self.found.real

    @property
    def program_sha256(self) -> str:
        """As `RunningGuest.program_sha256`."""
        return self.found.sha256

    @property
    def gateway(self) -> GatewaySignIn | None:
        """As `RunningGuest.gateway`."""
        return self.process.gateway

    async def running(self) -> frozenset[ProcessFacts]:
        """As `RunningGuest.running`."""
        return await self.process.running()

    async def end_others(self, kept: frozenset[ProcessFacts]) -> tuple[ProcessFacts, ...]:
        """As `RunningGuest.end_others`."""
        return await self.process.end_others(kept)

    async def ended(self) -> GuestEnd:
        """As `RunningGuest.ended`."""
        end = await self.process.ended()
        return GuestEnd(end.status, "\n".join(dict.fromkeys((end.why, *end.last))))

    async def end(self) -> GuestEnd:
        """As `RunningGuest.end`."""
        await self.process.close()
        return await self.ended()


class OwnGuests:
    """The `GuestStarter` of the program. `lanes`: the folder of all lanes, where no program is looked for."""

    def __init__(
        self,
        launcher: GuestLauncher,
        settings: SettingsKeeper,
        folders: Folders,
        env: Mapping[str, str],
        lanes: Path,
    ) -> None:
        self._launcher, self._settings, self._folders = launcher, settings, folders
        self._env, self._lanes = env, lanes

    def words(self, guest_id: str) -> GuestWords:
        """As `GuestStarter.words`."""
        row = self._row(guest_id)
        return GuestWords(
            id=row.id,
            label=row.label,
            asking_mode=row.asking_mode,
            plan_mode=row.plan_mode,
            command_from=row.command_from,
            asks=row.asks != "never",
            writes_unasked=row.writes_unasked,
            confirms_mode=row.confirms_mode,
            reads_files=row.reads == "client",
            asks_when_changed=self._chosen(row).asks_when_changed,
            taken=row.taken,
        )

    async def kept(self, guest_id: str) -> GuestKeeping:
        """As `GuestStarter.kept`."""
        row = self._row(guest_id)
        tier, level = await self._launcher.standing()
        through = bool(self._endpoint_of(row))
        hosts = () if through else row.hosts
        most, (_, given) = self._chosen(row).most_mode, self._given(row)
        names = tuple(f"~/{one.name}" for one in given)
        return GuestKeeping(level, tier, row.asks != "never", through, hosts, most, names)

    async def listed(self) -> GuestsFound:
        """As `GuestStarter.listed`."""
        known = await asyncio.to_thread(self._known)
        found = await asyncio.to_thread(lambda: [find_guest(row, self._path, (self._lanes,)) for row in known.rows])
        rows = (self._listing(row, place) for row, place in zip(known.rows, found, strict=True))
        return GuestsFound(tuple(rows), tuple(map(_words, known.faults)))

    async def start(
        self, guest_id: str, chat_id: str, lane_root: Path, handler: GuestEar, shown: tuple[Path, ...] = ()
    ) -> Started:
        """As `GuestStarter.start`."""
        row = self._row(guest_id)
        try:
            found = await asyncio.to_thread(self._found, row)
            home = await asyncio.to_thread(guest_home, self._folders.data, row.id)
            model = await self._model(row, handler)
            hosts = () if model is not None else row.hosts
            place = GuestPlace(row, found, lane_root, home, hosts=hosts, model=model, owner=chat_id, shown=shown)
            person, given = self._given(row)
            place = replace(place, person=person, given=given)
            process = await self._launcher.start(place, handler, LogRing(self._redacted))
            return Started(process, found, await self.stamp(guest_id))
        except CommandError:
            raise
        except BanksmanError as error:
            raise GuestFailed("guest_start", f"{row.label} could not be started: {error}") from error

    async def sign_in(self, guest_id: str, told: GuestSignIn | None) -> SignInProgram | None:
        """As `GuestStarter.sign_in`."""
        row = self._row(guest_id)
        if not row.login and told is None:
            return None
        found = await asyncio.to_thread(self._found, row)
        home = await asyncio.to_thread(guest_home, self._folders.data, row.id)
        words = (found.program, *(told.words if told is not None else ()))
        if row.login:
            program = shutil.which(row.login[0], path=clean_path(self._path, self._lanes))
            if program is None:
                raise GuestFailed("guest_start", f"{row.login[0]}, which signs {row.label} in, is not installed.")
            words = (program, *row.login[1:])
        person, given = self._given(row)
        place = GuestPlace(row, found, home, home, hosts=row.hosts, person=person, given=given)
        env = told.env if told is not None and not row.login else {}
        return await self._launcher.sign_in(place, words, env)

    async def choose_model(self, guest_id: str) -> str:
        """As `GuestStarter.choose_model`. One that has a folder of its own may have signed in there, and one with the
        person's folders has their sign-in."""
        row, settings = self._row(guest_id), self._settings
        endpoint = settings.ready(settings.default_endpoint)
        if (
            row.gateway is None
            or row.id in settings.current.guest_models
            or self._chosen(row).own_folders
            or endpoint is None
            or row.gateway.dialect not in kind_of(endpoint).speaks
            or await asyncio.to_thread(home_path(self._folders.data, row.id).exists)
        ):
            return ""
        settings.choose_guest_model(row.id, endpoint.id)
        return endpoint.label

    async def introduced(self, guest_id: str, way: GuestGatewayWay | None) -> None:
        """As `GuestStarter.introduced`; said once, it can be chosen before the next start."""
        row, dialect = self._row(guest_id), way.dialect if way is not None else None
        if row.gateway is None or (row.gateway.by == "sign_in" and row.gateway.dialect != dialect):
            with contextlib.suppress(OSError):  # then it says so at its next start
                await asyncio.to_thread(remember_gateway, self._folders.data, guest_id, dialect)

    async def stamp(self, guest_id: str) -> tuple[str, ...]:
        """As `GuestStarter.stamp`."""
        row = self._row(guest_id)
        stamp = _stamp(await asyncio.to_thread(self._found, row), await self._model(row))
        return (*stamp, *map(str, self._given(row)[1]))

    async def program_sha256(self, guest_id: str) -> str:
        """As `GuestStarter.program_sha256`."""
        return (await asyncio.to_thread(self._found, self._row(guest_id))).sha256

    async def given_files(self, guest_id: str) -> Files:
        """As `GuestStarter.given_files`."""
        row = self._row(guest_id)
        person, _ = self._given(row)
        return await asyncio.to_thread(files_in, person, row) if person is not None else {}

    def _given(self, row: GuestRow) -> tuple[Path | None, tuple[Path, ...]]:
        """The person's home folder and the folders of it that an agent has, where they gave it those."""
        home = self._env.get("HOME", "")
        if not self._chosen(row).own_folders or not row.home or not home:
            return None, ()
        return Path(home), granted_folders(Path(home), row)

    def _redacted(self, line: str) -> str:
        return self._settings.redactor.redact(line).text

    def _known(self) -> Registry:
        """The agents, each with what it takes by a sign-in where its table knows no variables of it."""
        known = self._read()
        return replace(known, rows=tuple(map(self._with_gateway, known.rows)))

    def _read(self) -> Registry:
        return read_registry(resource_folder() / FILE, self._folders.config / FILE)

    def _with_gateway(self, row: GuestRow) -> GuestRow:
        dialect = remembered_gateway(self._folders.data, row.id) if row.gateway is None else None
        return (
            row if dialect is None else row.model_copy(update={"gateway": GuestGateway(dialect=dialect, by="sign_in")})
        )

    def _row(self, guest_id: str) -> GuestRow:
        known = self._read()
        row = known.row(guest_id)
        if row is None:
            fault = next((f" {_words(one)}" for one in known.faults), "")
            raise CommandError("no_guest", f"There is no agent '{guest_id[:40]}' here. Choose another one.{fault}")
        return self._with_gateway(row)

    def _found(self, row: GuestRow) -> FoundGuest:
        found = find_guest(row, self._path, (self._lanes,))
        if found is None:
            raise GuestFailed("no_guest", _not_installed(row))
        return found

    def _listing(self, row: GuestRow, found: FoundGuest | None) -> GuestListing:
        return GuestListing(
            id=row.id,
            label=row.label,
            program=found.real if found is not None else "",
            sha256=found.sha256 if found is not None else "",
            problem="" if found is not None else _not_installed(row),
            install=row.install,
            asks=row.asks != "never",
            home_folders=row.home,
            signs_in=bool(row.login),
            takes_model=row.gateway.dialect if row.gateway is not None else "",
            endpoint_id=self._endpoint_of(row),
            hosts=row.hosts,
            login=row.login,
            home_path=str(home_path(self._folders.data, row.id)),
            seen_at=row.seen_at,
        )

    def _chosen(self, row: GuestRow) -> GuestSettings:
        return self._settings.current.guests.get(row.id, GuestSettings())

    def _endpoint_of(self, row: GuestRow) -> str:
        return self._settings.current.guest_models.get(row.id, "")

    @cached_property
    def _path(self) -> str:
        return search_path(login_path(self._env), self._env)

    async def _model(self, row: GuestRow, ear: GuestEar | None = None) -> ModelChoice | None:
        """The model service that a person chose for it, whose key it never sees; None: it signs in by itself."""
        chosen = self._endpoint_of(row)
        if not chosen:
            return None
        endpoint, key = await self._settings.endpoint_with_key(chosen)
        kind = kind_of(endpoint)
        if row.gateway is not None and row.gateway.dialect not in (*kind.speaks, *kind.perhaps):
            asks = DIALECT_WORDS[row.gateway.dialect]
            text = f"{row.label} asks in {asks}, which {endpoint.label} does not speak. Choose another service."
            raise GuestFailed("guest_start", f"{text} That is under Settings › Agents.")
        if ear is None:
            return ModelChoice(endpoint.base_url, lambda: key, model=endpoint.default_model)
        await asyncio.to_thread(warm_prices)
        return ModelChoice(endpoint.base_url, lambda: key, _Counts(endpoint, ear), endpoint.default_model)


@dataclass(frozen=True)
class _Counts:
    """A `ModelCounts`: what is counted is told with what it cost at this endpoint."""

    endpoint: Endpoint
    ear: GuestEar

    def may_ask(self) -> str:
        """As `ModelCounts.may_ask`."""
        return self.ear.may_ask_model()

    def counted(self, usage: Usage, model: str) -> None:
        """As `ModelCounts.counted`."""
        self.ear.on_counted(usage, model, request_cost(self.endpoint, model, usage))


def _stamp(found: FoundGuest, model: ModelChoice | None) -> tuple[str, ...]:
    return (found.real, found.sha256, *((model.base_url, model.key()) if model is not None else ()))


def _words(fault: GuestFault) -> str:
    return f"{fault.path}, line {fault.line}: {fault.text}" if fault.line else f"{fault.path}: {fault.text}"


def _not_installed(row: GuestRow) -> str:
    how = f" Install it with: {row.install}" if row.install else ""
    return f"{row.label} is not installed on this computer.{how}"
