"""KeyStore: API keys and database passwords in the system keyring, or in memory where there is none. They are never
shown or logged."""

import asyncio
import json
import logging
import os
from collections.abc import MutableMapping
from typing import TYPE_CHECKING

from pydantic import SecretStr

from desktop.config.databases import DatabaseConnection
from desktop.config.settings import ANTHROPIC_ADDRESS, Endpoint
from desktop.domain.core.errors import SettingsError
from desktop.domain.github.values import KeptIn
from desktop.domain.updates import KeyState
from desktop.late import late
from desktop.services.settings.key_record import KeyRecord

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend

logger = logging.getLogger(__name__)

SERVICE = "banksman"
VARIABLE = "ANTHROPIC_API_KEY"
GITHUB_VARIABLES = ("GH_TOKEN", "GITHUB_TOKEN")
GITHUB_HOST, GITHUB_ADDRESS = "github.com", "https://api.github.com"
NO_KEYRING = "This system has no keyring. The key is kept until Banksman closes."
KEYRING_REFUSED = "The system keyring refused: {reason} The key is kept until Banksman closes."
KEYRING_TIMEOUT_S = 60.0
_SHORTEST_WITH_TAIL = 12
_NO_BACKENDS = ("keyring.backends.fail", "keyring.backends.null")


class KeyStore:
    """Keys by endpoint. A key belongs to one endpoint and one address: at a changed address it is not found. The
    password of a database belongs to its name and target in the same way, a token of GitHub to its host, its account
    and the address that it is sent to.

    `ANTHROPIC_API_KEY` is taken out of `environment` when this is made, and is a key of the vendor's own address only,
    used when the keyring has none. So are `GH_TOKEN` and `GITHUB_TOKEN`, for github.com. The keyring is asked in a
    thread, because it may ask a person to unlock it, only once per key, and never for what `record` says it has not;
    one that did not answer is not asked for keys again. `problem` is "" or why keys last only until the program ends;
    it is known after the first question.
    """

    def __init__(
        self,
        *,
        backend: "KeyringBackend | None" = None,
        environment: MutableMapping[str, str] | None = None,
        record: KeyRecord | None = None,
    ) -> None:
        variables = os.environ if environment is None else environment
        self._variable = variables.pop(VARIABLE, "").strip()
        tokens = [variables.pop(name, "").strip() for name in GITHUB_VARIABLES]
        self._github = next((token for token in tokens if token), "")
        self._backend = backend
        self._record = record or KeyRecord()
        self._asked = self._silent = False
        self._known: dict[str, tuple[str, str] | None] = {}
        self._memory: dict[str, tuple[str, str]] = {}
        self._lock = asyncio.Lock()
        self.problem = ""

    def known_values(self) -> dict[str, str]:
        """The keys and passwords this program has held so far, by what people call them."""
        entries = {**self._known, **self._memory}
        values = {name: entry[1] for name, entry in entries.items() if entry is not None}
        given = {VARIABLE: self._variable, GITHUB_VARIABLES[0]: self._github}
        return {**values, **{name: value for name, value in given.items() if value}}

    async def get(self, endpoint: Endpoint) -> SecretStr | None:
        """The endpoint's key for its present address, None if there is none."""
        key, _ = await self._find(endpoint)
        return SecretStr(key) if key else None

    async def state(self, endpoint: Endpoint) -> KeyState:
        """The place of the endpoint's key, and its last four characters."""
        key, place = await self._find(endpoint)
        tail = key[-4:] if len(key) >= _SHORTEST_WITH_TAIL else ""
        return KeyState.model_validate({"endpoint_id": endpoint.id, "place": place, "tail": tail})

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
        await self._keep(endpoint.id, endpoint.base_url, value)

    async def remove(self, endpoint: Endpoint) -> None:
        """Forget the endpoint's key, wherever it is. A key from the environment is forgotten until the next start."""
        async with self._lock:
            if await self._entry(endpoint.id) is not None and endpoint.id not in self._memory:
                await self._delete(endpoint.id)
            elif endpoint.id not in self._memory and endpoint.base_url == ANTHROPIC_ADDRESS:
                self._variable = ""
            self._memory.pop(endpoint.id, None)
            self._known[endpoint.id] = None

    async def database_password(self, connection: DatabaseConnection) -> SecretStr | None:
        """The password for that name at its present target, None if there is none."""
        async with self._lock:
            entry = await self._entry(_database_id(connection))
        return SecretStr(entry[1]) if entry is not None and entry[0] == connection.password_target else None

    async def save_database_password(self, connection: DatabaseConnection, password: SecretStr) -> None:
        """Keep a password; without a usable keyring in memory, and `problem` says so.

        Raises:
            SettingsError: it is empty or holds control characters.
        """
        value = password.get_secret_value()
        if not value or not value.isprintable():
            raise SettingsError(f"The password for {connection.name} is empty or holds odd characters. Type it again.")
        await self._keep(_database_id(connection), connection.password_target, value)

    async def remove_database_password(self, connection: DatabaseConnection) -> None:
        """Forget the password of that name, wherever it is."""
        async with self._lock:
            await self._forget(_database_id(connection))

    @property
    def has_github_variable(self) -> bool:
        """Whether the environment gave a token for github.com that nobody has signed out of."""
        return bool(self._github)

    async def github_token(self, host: str, login: str, address: str) -> tuple[SecretStr | None, KeptIn]:
        """The token of that account for this address of the host, and where it is. Without a login, that of the
        environment, which counts for github.com alone."""
        if login:
            name = _github_id(host, login)
            async with self._lock:
                entry = await self._entry(name)
            if entry is not None and entry[0] == address:
                return SecretStr(entry[1]), "memory" if name in self._memory else "keyring"
        elif self._github and address == GITHUB_ADDRESS:
            return SecretStr(self._github), "environment"
        return None, "none"

    async def save_github_token(self, host: str, login: str, address: str, token: SecretStr) -> None:
        """Keep a token that the host accepted; without a usable keyring in memory, and `problem` says so."""
        await self._keep(_github_id(host, login), address, token.get_secret_value())

    async def remove_github_token(self, host: str, login: str) -> None:
        """Forget the account's token, wherever it is; without a login that of the environment, until the next start."""
        if not login:
            self._github = "" if host == GITHUB_HOST else self._github
            return
        async with self._lock:
            await self._forget(_github_id(host, login))

    async def _forget(self, name: str) -> None:
        if await self._entry(name) is not None and name not in self._memory:
            await self._delete(name)
        self._memory.pop(name, None)
        self._known[name] = None

    async def _delete(self, name: str) -> None:
        if await self._with_keyring("delete_password", SERVICE, name):
            self._record.note(name, kept=False)

    async def _keep(self, name: str, address: str, value: str) -> None:
        async with self._lock:
            stored = json.dumps({"address": address, "key": value})
            self._memory.pop(name, None)
            if await self._with_keyring("set_password", SERVICE, name, stored):
                self._known[name] = (address, value)
                self._record.note(name, kept=True)
            else:
                self._memory[name] = (address, value)

    async def _find(self, endpoint: Endpoint) -> tuple[str, str]:
        async with self._lock:
            entry = await self._entry(endpoint.id)
        if entry is not None and entry[0] == endpoint.base_url:
            return entry[1], "memory" if endpoint.id in self._memory else "keyring"
        if entry is None and self._variable and endpoint.base_url == ANTHROPIC_ADDRESS:
            return self._variable, "environment"
        return "", "none"

    async def _entry(self, endpoint_id: str) -> tuple[str, str] | None:
        """Address and key as kept, None if nothing is kept."""
        if endpoint_id in self._memory:
            return self._memory[endpoint_id]
        if endpoint_id not in self._known and not self._silent and self._record.may_hold(endpoint_id):
            answers: list[str | None] = []
            if await self._with_keyring("get_password", SERVICE, endpoint_id, answers=answers):
                self._known[endpoint_id] = _entry_in(answers[0])
                self._record.note(endpoint_id, kept=answers[0] is not None)
        return self._known.get(endpoint_id)

    async def _with_keyring(self, method: str, *arguments: str, answers: list[str | None] | None = None) -> bool:
        """Whether the keyring did it; its answer is added to `answers`. Otherwise `problem` says why not."""
        try:
            async with asyncio.timeout(KEYRING_TIMEOUT_S):
                self.problem, answer = await asyncio.to_thread(self._call, method, arguments)
        except TimeoutError:
            self.problem, self._silent = KEYRING_REFUSED.format(reason="it did not answer."), True
            return False
        if answers is not None:
            answers.append(answer)
        return not self.problem

    def _call(self, method: str, arguments: tuple[str, ...]) -> tuple[str, str | None]:
        errors = late("keyring.errors")
        backend = self._usable_backend()
        if backend is None:
            return NO_KEYRING, None
        try:
            if method == "get_password":
                return "", backend.get_password(*arguments)
            if method == "set_password":
                backend.set_password(*arguments)
            else:
                backend.delete_password(*arguments)
        except errors.PasswordDeleteError:
            return "", None
        except (errors.KeyringError, OSError, RuntimeError) as error:
            logger.warning("The keyring failed at %s: %s", method, type(error).__name__)
            words = str(error).strip().rstrip(".") or type(error).__name__
            return KEYRING_REFUSED.format(reason=f"{words[:200]}."), None
        return "", None

    def _usable_backend(self) -> "KeyringBackend | None":
        if not self._asked and self._backend is None:
            self._backend = late("keyring").get_keyring()
        self._asked = True
        if self._backend is None or type(self._backend).__module__ in _NO_BACKENDS:
            return None
        return self._backend


def _github_id(host: str, login: str) -> str:
    return f"github:{host}:{login}"


def _database_id(connection: DatabaseConnection) -> str:
    return f"database:{connection.name}"


def _entry_in(stored: str | None) -> tuple[str, str] | None:
    if stored is None:
        return None
    try:
        value = json.loads(stored)
        return str(value["address"]), str(value["key"])
    except (ValueError, TypeError, KeyError):
        return None
