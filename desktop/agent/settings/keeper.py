"""SettingsKeeper: settings, keys and providers of the engine, and the commands that change them."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from pydantic import ValidationError

from desktop.agent.core.commands import Handler
from desktop.agent.core.session import Publish
from desktop.agent.settings.trying import checked
from desktop.config.databases import DatabaseConnection
from desktop.config.folders import Folders
from desktop.config.found import FoundService, default_endpoint, judged
from desktop.config.log_files import know_secrets
from desktop.config.settings import ANTHROPIC_ADDRESS, Endpoint, GitHubHost, Settings
from desktop.config.settings_file import save_settings
from desktop.domain import commands as c
from desktop.domain.core.command import Command
from desktop.domain.core.errors import CommandError
from desktop.domain.core.work import Project
from desktop.domain.gate.redaction import Redactor
from desktop.domain.guests.values import guest_of
from desktop.domain.updates import (
    AddressesFound,
    DatabaseKeysChanged,
    DatabaseTested,
    KeysChanged,
    SettingsChanged,
)
from desktop.providers.base import Provider
from desktop.providers.kinds import kind_of
from desktop.services.databases.base import ConnectionCheck
from desktop.services.databases.connections import Databases
from desktop.services.lanes.making.plan import root_problem
from desktop.services.settings import other_programs
from desktop.services.settings.environment import ANTHROPIC_KEY
from desktop.services.settings.key_record import FILE_NAME, KeyRecord
from desktop.services.settings.keys import KeyStore

_SERVERS = {"sqlite": "SQLite", "postgres": "PostgreSQL", "mysql": "MySQL", "mariadb": "MariaDB"}


class SettingsKeeper:
    """`demo_pace_s`: seconds between two pieces of the demo's text, None for its own pace. `extra`: one more endpoint,
    for this process only. `current`: the settings in force. `databases`: the connections
    as they are set now, for every project."""

    def __init__(
        self,
        folders: Folders,
        settings: Settings,
        publish: Publish,
        *,
        demo_pace_s: float | None = None,
        extra: Endpoint | None = None,
    ) -> None:
        self.current = settings
        self._file = folders.settings_file
        self.log_folder = str(folders.logs)
        self._extra = extra
        self._publish = publish
        self._demo_pace_s = demo_pace_s
        fresh = not folders.settings_file.exists() and not (folders.config / FILE_NAME).exists()
        self._keys = KeyStore(record=KeyRecord(folders.config / FILE_NAME, fresh=fresh))
        self._keyed: frozenset[str] = frozenset()
        self._found: tuple[FoundService, ...] = ()
        self._redactor: tuple[dict[str, str], Redactor] | None = None
        self.databases = Databases(lambda: self.current.databases, self._keys.database_password)
        self._warming: dict[Callable[[], None], asyncio.Future[None]] = {}
        self._providers: dict[str, tuple[Endpoint, str, Provider]] = {}

    @property
    def redactor(self) -> Redactor:
        """Takes out the keys and passwords this program holds, and strings shaped like keys."""
        values = self._keys.known_values()
        if self._redactor is None or self._redactor[0] != values:
            self._redactor = (values, Redactor(values))
            know_secrets(self._redactor[1])
        return self._redactor[1]

    def find(self, endpoint_id: str) -> Endpoint | None:
        """The endpoint of that id, None if there is none: the settings' own, or a found one that is used."""
        if self._extra is not None and self._extra.id == endpoint_id:
            return self._extra
        found = self.found(endpoint_id)
        return self.current.endpoint(endpoint_id) or (found.endpoint if found is not None else None)

    def ready(self, endpoint_id: str) -> Endpoint | None:
        """The endpoint of that id, None if there is none or its key is not there."""
        endpoint = self.find(endpoint_id)
        return endpoint if endpoint is not None and (endpoint.auth == "none" or self._has_key(endpoint_id)) else None

    def found(self, endpoint_id: str) -> FoundService | None:
        """The service of that id that the environment names, None for another, or where it is not used."""
        return next((one for one in self.found_services if one.endpoint.id == endpoint_id), None)

    @property
    def found_services(self) -> tuple[FoundService, ...]:
        """Those of the environment that are used now."""
        return tuple(one for one in self._found if one.used and self.current.endpoint(one.endpoint.id) is None)

    @property
    def default_endpoint(self) -> str:
        """The id of the service of new chats."""
        return default_endpoint(self.current, self.found_services, self._has_key)

    def model_for(self, endpoint_id: str, model: str) -> tuple[str, str]:
        """The endpoint and model to use for a new chat. Raises CommandError when there is no such endpoint."""
        chosen = self.find(endpoint_id or self.default_endpoint)
        if chosen is None:
            raise CommandError("no_endpoint", f"There is no endpoint '{endpoint_id}'. Choose one in Settings.")
        name = model or chosen.default_model
        if not name:
            raise CommandError("no_model", f"Choose a model for {chosen.label} in Settings › Providers & keys.")
        return chosen.id, name

    async def require_key(self, endpoint_id: str) -> None:
        """Raises CommandError when the endpoint needs a key and has none."""
        endpoint = self._endpoint(endpoint_id)
        if endpoint.auth != "none" and await self._keys.get(endpoint) is None:
            variable = f", or set {ANTHROPIC_KEY}" if endpoint.base_url == ANTHROPIC_ADDRESS else ""
            raise CommandError(
                "no_key", f"There is no key for {endpoint.label}. Add one in Settings › Providers & keys{variable}."
            )

    async def endpoint_with_key(self, endpoint_id: str) -> tuple[Endpoint, str]:
        """An endpoint and the key for it, "" for none. Raises CommandError: there is no such endpoint."""
        endpoint = self._endpoint(endpoint_id)
        key = await self._keys.get(endpoint) if endpoint.auth != "none" else None
        return endpoint, key.get_secret_value() if key is not None else ""

    async def provider(self, endpoint_id: str) -> Provider:
        """The provider of an endpoint, made anew when its address or key changed."""
        endpoint = self._endpoint(endpoint_id)
        key = await self._keys.get(endpoint) if endpoint.auth != "none" else None
        secret = key.get_secret_value() if key is not None else ""
        known = self._providers.get(endpoint_id)
        if known is not None and known[:2] == (endpoint, secret):
            return known[2]
        if known is not None:
            await known[2].close()
        provider = kind_of(endpoint).make(endpoint, key, self._demo_pace_s)
        self._providers[endpoint_id] = (endpoint, secret, provider)
        return provider

    def warm_up(self, endpoint_id: str) -> None:
        """Import on a worker thread what the endpoint's kind needs: the first request then need not wait for it."""
        load = kind_of(self._endpoint(endpoint_id)).load
        if load not in self._warming:
            self._warming[load] = asyncio.get_running_loop().run_in_executor(None, load)

    async def remember_project(self, path: str) -> None:
        """Put a repository first in the list of recent ones."""
        changed = self.current.with_recent(path)
        if changed != self.current:
            self._save(changed)

    def switch_hook(self, name: str, *, on: bool) -> None:
        """Keep that a hook is off, or is not any more."""
        others = tuple(one for one in self.current.hooks_off if one != name)
        self._save(self.current.model_copy(update={"hooks_off": others if on else (*others, name)}))

    def choose_guest_model(self, guest_id: str, endpoint_id: str) -> None:
        """Keep through which endpoint an agent asks its model."""
        models = {**self.current.guest_models, guest_id: endpoint_id}
        self._save(self.current.model_copy(update={"guest_models": models}))

    @property
    def keys(self) -> KeyStore:
        """Where keys, passwords and tokens are."""
        return self._keys

    def know_secrets(self) -> None:
        """Keep what was just stored out of the log files as well."""
        know_secrets(self.redactor)

    def handlers(self) -> dict[type[Command], Handler]:
        """The commands about settings and keys but for trying a database, which needs the project."""
        return {
            c.SaveSettings: self.save_settings,
            c.SaveKey: self.save_key,
            c.RemoveKey: self.remove_key,
            c.SaveDatabasePassword: self.save_database_password,
            c.RemoveDatabasePassword: self.remove_database_password,
            c.CheckEndpoint: self.check_endpoint,
            c.FindAddresses: self.find_addresses,
        }

    def save_github_hosts(self, hosts: tuple[GitHubHost, ...]) -> None:
        """Keep these hosts and who is signed in there.

        Raises:
            CommandError: one of them is no host, or stands there twice.
        """
        try:
            changed = Settings.model_validate({**self.current.model_dump(), "github": hosts})
        except ValidationError as error:
            words = error.errors(include_url=False, include_input=False, include_context=False)[0]["msg"]
            raise CommandError("github_host", words.removeprefix("Value error, ")) from error
        if changed != self.current:
            self._save(changed)

    async def save_settings(self, command: c.SaveSettings) -> None:
        """Replace the settings, but for recent projects and hosts of GitHub, which the engine keeps. A folder in which
        lanes cannot stand is refused, and so is an endpoint of a kind that there is not.

        A key belongs to one address, so a changed endpoint may have another key, or none. The password of a database
        that is gone is forgotten.
        """
        before = self.current
        for endpoint in command.settings.endpoints:
            kind_of(endpoint)
        root = command.settings.lanes_root
        if root and root != before.lanes_root and (problem := await asyncio.to_thread(root_problem, Path(root))):
            raise CommandError("lanes_root", problem)
        kept = {"recent_projects": before.recent_projects, "github": before.github}
        self._save(command.settings.model_copy(update=kept))
        for gone in before.databases:
            if self.current.database(gone.name) is None and gone.dialect != "sqlite":
                await self._keys.remove_database_password(gone)
        if command.settings.endpoints != before.endpoints:
            await self.publish_keys()
        elif command.settings.databases != before.databases:
            await self.publish_database_keys()

    async def save_key(self, command: c.SaveKey) -> None:
        """Keep a key."""
        await self._keys.save(self._endpoint(command.endpoint_id), command.key)
        await self.publish_keys()

    async def remove_key(self, command: c.RemoveKey) -> None:
        """Forget a key."""
        await self._keys.remove(self._endpoint(command.endpoint_id))
        await self.publish_keys()

    async def publish_keys(self) -> None:
        """Tell the window which endpoints have a key, and what the environment names."""
        states = [await self._keys.state(endpoint) for endpoint in self.current.endpoints]
        self._keyed = frozenset(state.endpoint_id for state in states if state.place != "none")
        environment = self._keys.environment
        self._found = judged(environment.services, self.current, self._has_key)
        states += [await self._keys.state(one.endpoint) for one in self.found_services]
        self._publish(
            KeysChanged(
                keys=tuple(states),
                keyring_problem=self._keys.problem,
                found=self._found,
                found_problems=environment.problems,
            )
        )
        know_secrets(self.redactor)
        if self.current.databases:
            await self.publish_database_keys()

    async def find_services(self) -> None:
        """Look what of the environment is used, where no window asks. Keys are looked for only if it names any."""
        if self._keys.environment.services:
            await self.publish_keys()

    async def publish_database_keys(self) -> None:
        """Tell the window for which databases there is a password."""
        servers = [one for one in self.current.databases if one.dialect != "sqlite"]
        names = [one.name for one in servers if await self._keys.database_password(one) is not None]
        self._publish(DatabaseKeysChanged(names=tuple(names), keyring_problem=self._keys.problem))

    async def save_database_password(self, command: c.SaveDatabasePassword) -> None:
        """Keep a password."""
        await self._keys.save_database_password(self._database(command.name), command.password)
        await self.publish_database_keys()

    async def remove_database_password(self, command: c.RemoveDatabasePassword) -> None:
        """Forget a password."""
        await self._keys.remove_database_password(self._database(command.name))
        await self.publish_database_keys()

    async def test_database(self, command: c.TestDatabase, project: Project | None) -> None:
        """Connect, and say what the server is and what the session could do there. A file of a lane is tried in the
        project's own checkout."""
        databases = self.databases
        if project is not None and command.connection.in_lane:
            databases = databases.for_lane(project.path, Path(project.path))
        check = await databases.check(command.connection, command.password)
        ok = not check.problem
        text = _test_words(command.connection, check) if ok else check.problem
        tried = command.connection
        writes = ok and bool(check.can_write) and not tried.read_only
        self._publish(DatabaseTested(command_id=command.command_id, name=tried.name, ok=ok, text=text, writes=writes))

    async def check_endpoint(self, command: c.CheckEndpoint) -> None:
        """Ask an endpoint for its models and say what came of it."""
        endpoint, kind = command.endpoint, kind_of(command.endpoint)
        key = (command.key or await self._keys.get(endpoint)) if endpoint.auth != "none" else None
        provider = kind.make(endpoint, key, self._demo_pace_s)
        try:
            self._publish(await checked(command, kind, provider))
        finally:
            await provider.close()

    async def find_addresses(self, command: c.FindAddresses) -> None:
        """Tell which addresses other programs use."""
        found = await asyncio.to_thread(other_programs.addresses, Path.home())
        self._publish(AddressesFound(command_id=command.command_id, addresses=found))

    async def close(self) -> None:
        """Close every provider."""
        for _, _, provider in self._providers.values():
            await provider.close()
        self._providers.clear()

    def _has_key(self, endpoint_id: str) -> bool:
        return endpoint_id in self._keyed

    def _endpoint(self, endpoint_id: str) -> Endpoint:
        endpoint = self.find(endpoint_id)
        if endpoint is None and guest_of(endpoint_id):
            raise CommandError("guest", "The agent of this chat has a model of its own, which Banksman cannot ask.")
        if endpoint is None:
            raise CommandError("no_endpoint", f"There is no endpoint '{endpoint_id}' any more. Choose another model.")
        return endpoint

    def _database(self, name: str) -> DatabaseConnection:
        connection = self.current.database(name)
        if connection is None:
            raise CommandError("no_database", f"There is no database '{name}' any more. Look at the list again.")
        return connection

    def _save(self, settings: Settings) -> None:
        save_settings(self._file, settings)
        self.current = settings
        self._publish(SettingsChanged(settings=settings))


def _test_words(connection: DatabaseConnection, check: ConnectionCheck) -> str:
    could = {True: "The account can write.", False: "The session cannot write.", None: "Its rights are not known."}
    if connection.dialect == "sqlite":
        could |= {True: "The file can be written.", False: "The file cannot be written."}
    named = check.version[:1].isalpha() or not check.version
    version = check.version if named else f"{_SERVERS[connection.dialect]} {check.version}"
    words = [f"{version}." if version else "It answers.", could[check.can_write]]
    if connection.read_only and check.can_write:
        words.append("Banksman refuses writes here.")
    return " ".join([*words, *([check.advice] if check.advice else [])])
