"""KeyStore: API keys and database passwords in the system keyring, or in memory where there is none. They are never
shown or logged."""

import os
from collections.abc import MutableMapping
from typing import TYPE_CHECKING

from pydantic import SecretStr

from desktop.config.databases import DatabaseConnection
from desktop.config.settings import Endpoint
from desktop.domain.core.errors import SettingsError
from desktop.domain.github.values import KeptIn
from desktop.domain.updates import KeyPlace, KeyState
from desktop.services.settings.environment import Environment
from desktop.services.settings.key_record import KeyRecord
from desktop.services.settings.keyring_entries import KeyringEntries

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend

GITHUB_VARIABLES = ("GH_TOKEN", "GITHUB_TOKEN")
GITHUB_HOST, GITHUB_ADDRESS = "github.com", "https://api.github.com"
_SHORTEST_WITH_TAIL = 12


class KeyStore:
    """Keys by endpoint. A key belongs to one endpoint and one address: at a changed address it is not found. The
    password of a database belongs to its name and target in the same way, a token of GitHub to its host, its account
    and the address that it is sent to.

    Keys of model services are taken out of `environment` when this is made, and are used at the address that they
    belong to when the keyring has none. So are `GH_TOKEN` and `GITHUB_TOKEN`, for github.com. `entries`: where all that
    is kept by name stands; `environment`: what was found there.
    """

    def __init__(
        self,
        *,
        backend: "KeyringBackend | None" = None,
        environment: MutableMapping[str, str] | None = None,
        record: KeyRecord | None = None,
    ) -> None:
        variables = os.environ if environment is None else environment
        self.environment = Environment(variables)
        tokens = [variables.pop(name, "").strip() for name in GITHUB_VARIABLES]
        self._github = next((token for token in tokens if token), "")
        self.entries = KeyringEntries(backend, record)

    @property
    def problem(self) -> str:
        """The reason why keys last only until the program ends, "" for none; known after the first question."""
        return self.entries.problem

    def known_values(self) -> dict[str, str]:
        """The keys and passwords this program has held so far, by what people call them."""
        given = {GITHUB_VARIABLES[0]: self._github} if self._github else {}
        return {**self.entries.known_values(), **self.environment.known_values(), **given}

    async def get(self, endpoint: Endpoint) -> SecretStr | None:
        """The endpoint's key for its present address, None if there is none."""
        key, _, _ = await self._find(endpoint)
        return SecretStr(key) if key else None

    async def state(self, endpoint: Endpoint) -> KeyState:
        """The place of the endpoint's key, and its last four characters."""
        key, place, variable = await self._find(endpoint)
        tail = key[-4:] if len(key) >= _SHORTEST_WITH_TAIL else ""
        return KeyState(endpoint_id=endpoint.id, place=place, tail=tail, variable=variable)

    async def save(self, endpoint: Endpoint, key: SecretStr) -> None:
        """Keep a key; without a usable keyring in memory, and `problem` says so.

        Raises:
            SettingsError: the key is empty, or contains blanks or characters that no header can carry.
        """
        value = key.get_secret_value().strip()
        if not value:
            raise SettingsError(f"The key for {endpoint.label} is empty. Paste the whole key.")
        if not value.isascii() or not value.isprintable() or " " in value:
            raise SettingsError(f"The key for {endpoint.label} contains blanks or odd characters. Paste it again.")
        await self.entries.keep(endpoint.id, endpoint.base_url, value)

    async def remove(self, endpoint: Endpoint) -> None:
        """Forget the endpoint's key, wherever it is. A key from the environment is forgotten until the next start."""
        if not await self.entries.forget(endpoint.id):
            self.environment.forget(endpoint)

    async def database_password(self, connection: DatabaseConnection) -> SecretStr | None:
        """The password for that name at its present target, None if there is none."""
        entry = await self.entries.entry(_database_id(connection))
        return SecretStr(entry[1]) if entry is not None and entry[0] == connection.password_target else None

    async def save_database_password(self, connection: DatabaseConnection, password: SecretStr) -> None:
        """Keep a password; without a usable keyring in memory, and `problem` says so.

        Raises:
            SettingsError: it is empty or holds control characters.
        """
        value = password.get_secret_value()
        if not value or not value.isprintable():
            raise SettingsError(f"The password for {connection.name} is empty or holds odd characters. Type it again.")
        await self.entries.keep(_database_id(connection), connection.password_target, value)

    async def remove_database_password(self, connection: DatabaseConnection) -> None:
        """Forget the password of that name, wherever it is."""
        await self.entries.forget(_database_id(connection))

    @property
    def has_github_variable(self) -> bool:
        """Whether the environment gave a token for github.com that nobody has signed out of."""
        return bool(self._github)

    async def github_token(self, host: str, login: str, address: str) -> tuple[SecretStr | None, KeptIn]:
        """The token of that account for this address of the host, and where it is. Without a login, that of the
        environment, which counts for github.com alone."""
        if login:
            name = _github_id(host, login)
            entry = await self.entries.entry(name)
            if entry is not None and entry[0] == address:
                return SecretStr(entry[1]), self.entries.place(name)
        elif self._github and address == GITHUB_ADDRESS:
            return SecretStr(self._github), "environment"
        return None, "none"

    async def save_github_token(self, host: str, login: str, address: str, token: SecretStr) -> None:
        """Keep a token that the host accepted; without a usable keyring in memory, and `problem` says so."""
        await self.entries.keep(_github_id(host, login), address, token.get_secret_value())

    async def remove_github_token(self, host: str, login: str) -> None:
        """Forget the account's token, wherever it is; without a login that of the environment, until the next start."""
        if not login:
            self._github = "" if host == GITHUB_HOST else self._github
            return
        await self.entries.forget(_github_id(host, login))

    async def _find(self, endpoint: Endpoint) -> tuple[str, KeyPlace, str]:
        """The key, where it is, and the variable that holds it."""
        entry = await self.entries.entry(endpoint.id)
        if entry is not None and entry[0] == endpoint.base_url:
            return entry[1], self.entries.place(endpoint.id), ""
        key, variable = self.environment.key(endpoint) if entry is None else ("", "")
        return (key, "environment", variable) if key else ("", "none", "")


def _github_id(host: str, login: str) -> str:
    return f"github:{host}:{login}"


def _database_id(connection: DatabaseConnection) -> str:
    return f"database:{connection.name}"
