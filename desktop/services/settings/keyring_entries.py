"""KeyringEntries: named secrets in the system keyring, or in memory where there is none. They are never shown or
logged."""

import asyncio
import json
import logging
from typing import TYPE_CHECKING, Literal

from desktop.late import late
from desktop.services.settings.key_record import KeyRecord

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend

logger = logging.getLogger(__name__)

SERVICE = "banksman"
_KEPT, _NONE = "The key is kept until Banksman closes.", "This system has no keyring."
_SILENT, _REFUSED = "The system keyring refused: it did not answer.", "The system keyring refused: {reason}."
NO_KEYRING = f"{_NONE} {_KEPT}"
KEYRING_REFUSED = f"{_REFUSED} {_KEPT}"
KEYRING_TIMEOUT_S = 60.0
_NO_BACKENDS = ("keyring.backends.fail", "keyring.backends.null")


class KeyringEntries:
    """Each name holds an address and a value, which belongs to that address alone.

    The keyring is asked in a thread, because it may ask a person to unlock it, only once per name, and never for what
    `record` says it has not; one that did not answer is not asked again. `problem` is "" or why values last only until
    the program ends; it is known after the first question.
    """

    def __init__(self, backend: "KeyringBackend | None" = None, record: KeyRecord | None = None) -> None:
        self._backend = backend
        self._record = record or KeyRecord()
        self._asked = self._silent = False
        self._known: dict[str, tuple[str, str] | None] = {}
        self._memory: dict[str, tuple[str, str]] = {}
        self._gone: dict[str, str] = {}
        self._left: set[str] = set()
        self._lock = asyncio.Lock()
        self.problem = ""

    def known_values(self) -> dict[str, str]:
        """The values that were held so far, by their names; those that were forgotten only where that was asked for."""
        entries = {**self._known, **self._memory}
        return {**self._gone, **{name: entry[1] for name, entry in entries.items() if entry is not None}}

    def place(self, name: str) -> Literal["keyring", "memory"]:
        """The place of an entry that there is."""
        return "memory" if name in self._memory else "keyring"

    def may_be_in_keyring(self, name: str) -> bool:
        """Whether the keyring was asked to forget this, and did not."""
        return name in self._left

    async def look(self) -> str:
        """`problem`, once it is known whether there is a keyring at all."""
        if not self.problem and await asyncio.to_thread(self._usable_backend) is None:
            self.problem = NO_KEYRING
        return self.problem

    async def entry(self, name: str) -> tuple[str, str] | None:
        """The address and the value under a name, None if nothing is kept."""
        async with self._lock:
            return await self._entry(name)

    async def keep(self, name: str, address: str, value: str, *, lasting: bool = True) -> None:
        """Keep a value; in memory if it is not `lasting`, and without a usable keyring, of which `problem` tells."""
        async with self._lock:
            stored = json.dumps({"address": address, "key": value})
            self._memory.pop(name, None)
            if lasting and await self._with_keyring("set_password", SERVICE, name, stored):
                self._known[name] = (address, value)
                self._record.note(name, kept=True)
            else:
                self._memory[name] = (address, value)

    async def forget(self, name: str, *, still_known: bool = False) -> bool:
        """Forget a value, wherever it is; whether there was one. `still_known`: it is one of the `known_values` until
        the program ends, so that it is still taken out of texts."""
        async with self._lock:
            entry = await self._entry(name)
            if entry is not None and name not in self._memory:
                await self._delete(name)
            if entry is not None and still_known:
                self._gone[name] = entry[1]
            self._memory.pop(name, None)
            self._known[name] = None
            return entry is not None

    async def _entry(self, name: str) -> tuple[str, str] | None:
        """Address and key as kept, None if nothing is kept."""
        if name in self._memory:
            return self._memory[name]
        if name not in self._known and not self._silent and self._record.may_hold(name):
            answers: list[str | None] = []
            if await self._with_keyring("get_password", SERVICE, name, answers=answers):
                self._known[name] = _entry_in(answers[0])
                self._record.note(name, kept=answers[0] is not None)
        return self._known.get(name)

    async def _with_keyring(self, method: str, *arguments: str, answers: list[str | None] | None = None) -> bool:
        """Whether the keyring did it; its answer is added to `answers`. Otherwise `problem` says why not."""
        try:
            async with asyncio.timeout(KEYRING_TIMEOUT_S):
                self.problem, answer = await asyncio.to_thread(self._call, method, arguments)
        except TimeoutError:
            self.problem, self._silent = f"{_SILENT} {_KEPT}", True
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
            return KEYRING_REFUSED.format(reason=words[:200]), None
        return "", None

    def _usable_backend(self) -> "KeyringBackend | None":
        if not self._asked and self._backend is None:
            self._backend = late("keyring").get_keyring()
        self._asked = True
        if self._backend is None or type(self._backend).__module__ in _NO_BACKENDS:
            return None
        return self._backend

    async def _delete(self, name: str) -> None:
        if await self._with_keyring("delete_password", SERVICE, name):
            self._record.note(name, kept=False)
            self._left.discard(name)
        else:
            self._left.add(name)


def _entry_in(stored: str | None) -> tuple[str, str] | None:
    if stored is None:
        return None
    try:
        value = json.loads(stored)
        return str(value["address"]), str(value["key"])
    except (ValueError, TypeError, KeyError):
        return None
