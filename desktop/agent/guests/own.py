"""OwnGuests: the agents that are installed on this computer, started in the sandbox."""

import asyncio
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from desktop.agent.guests.launching import GuestEnd, GuestFailed, GuestWords
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.config.folders import Folders, resource_folder
from desktop.domain.core.errors import BanksmanError, CommandError
from desktop.domain.guests.registry import FoundGuest, GuestRow
from desktop.records import dataclass
from desktop.services.acp.wire import Wire, WireHandler
from desktop.services.guests.home import guest_home
from desktop.services.guests.launch import GuestLauncher, GuestPlace, GuestProcess, ModelChoice
from desktop.services.guests.locate import find_guest, login_path, search_path
from desktop.services.guests.registry import FILE, read_registry
from desktop.services.peers.ring import LogRing


@dataclass(frozen=True)
class Started:
    """A `RunningGuest` of this computer."""

    process: GuestProcess
    found: FoundGuest

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
        )

    async def start(
        self, guest_id: str, chat_id: str, lane_root: Path, handler: WireHandler, shown: tuple[Path, ...] = ()
    ) -> Started:
        """As `GuestStarter.start`."""
        row = self._row(guest_id)
        try:
            found = await asyncio.to_thread(self._found, row)
            home = await asyncio.to_thread(guest_home, self._folders.data, row.id)
            model = await self._model(row)
            hosts = () if model is not None else row.hosts
            place = GuestPlace(row, found, lane_root, home, hosts=hosts, model=model, owner=chat_id, shown=shown)
            return Started(await self._launcher.start(place, handler, LogRing()), found)
        except CommandError:
            raise
        except BanksmanError as error:
            raise GuestFailed("guest_start", f"{row.label} could not be started: {error}") from error

    def _row(self, guest_id: str) -> GuestRow:
        known = read_registry(resource_folder() / FILE, self._folders.config / FILE)
        row = known.row(guest_id)
        if row is None:
            fault = next((f" {one.path}, line {one.line}: {one.text}" for one in known.faults), "")
            raise CommandError("no_guest", f"There is no agent '{guest_id[:40]}' here. Choose another one.{fault}")
        return row

    def _found(self, row: GuestRow) -> FoundGuest:
        found = find_guest(row, self._path, (self._lanes,))
        if found is None:
            how = f" Install it with: {row.install}" if row.install else ""
            raise GuestFailed("no_guest", f"{row.label} is not installed on this computer.{how}")
        return found

    @cached_property
    def _path(self) -> str:
        return search_path(login_path(self._env), self._env)

    async def _model(self, row: GuestRow) -> ModelChoice | None:
        """The model service that a person chose for it, whose key it never sees; None: it signs in by itself."""
        chosen = self._settings.current.guest_models.get(row.id, "")
        if not chosen:
            return None
        endpoint, key = await self._settings.endpoint_with_key(chosen)
        return ModelChoice(endpoint.base_url, lambda: key)
