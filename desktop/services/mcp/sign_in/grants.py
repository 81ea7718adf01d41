"""Grants: what a sign-in gave, kept in the keyring by server and address, and never as anything but a secret."""

import asyncio
from collections.abc import Callable

from pydantic import Field, SecretStr, ValidationError

from desktop.domain.core.base import Frozen
from desktop.services.settings.keyring_entries import KeyringEntries

PARTS = ("access", "refresh", "client")


class GrantTerms(Frozen):
    """What of a grant is no secret: who gave it (`issuer`), where it is renewed, for what it counts, until when
    (seconds since 1970, None: not said), and as which program. `method`: how the program says who it is."""

    issuer: str
    token_at: str
    resource: str
    client_id: str
    method: str = "none"
    scopes: tuple[str, ...] = ()
    expires_at: float | None = None


class Grant(Frozen):
    """Tokens for one server at one address. `refresh`, `client_secret`: empty where there is none."""

    terms: GrantTerms
    access: SecretStr
    refresh: SecretStr = Field(default=SecretStr(""))
    client_secret: SecretStr = Field(default=SecretStr(""))


class GrantBook:
    """Grants by server id. One that was given for another address of the server is not found. Tokens are entries of
    their own in the keyring, so that they are taken out of all texts like every other secret; `kept` is told of new
    ones."""

    def __init__(self, entries: KeyringEntries, kept: Callable[[], object] = lambda: None) -> None:
        self._entries = entries
        self._kept = kept
        self._locks: dict[str, asyncio.Lock] = {}

    def renewing(self, server_id: str) -> asyncio.Lock:
        """Held by whoever renews the grant of a server: what renews it counts once, whichever connection shows it."""
        return self._locks.setdefault(server_id, asyncio.Lock())

    async def find(self, server_id: str, url: str) -> Grant | None:
        """The grant for that server at that address."""
        record = await self._value(server_id, "terms", url)
        access, refresh, client = [await self._value(server_id, part, url) for part in PARTS]
        if not record or not access:
            return None
        try:
            terms = GrantTerms.model_validate_json(record)
        except ValidationError:
            return None
        return Grant(terms=terms, access=SecretStr(access), refresh=SecretStr(refresh), client_secret=SecretStr(client))

    async def keep(self, server_id: str, url: str, grant: Grant) -> None:
        """Keep a grant in place of the former one."""
        values = (grant.access, grant.refresh, grant.client_secret)
        for part, value in zip(PARTS, values, strict=True):
            if value.get_secret_value():
                await self._entries.keep(_name(server_id, part), url, value.get_secret_value())
            else:
                await self._entries.forget(_name(server_id, part))
        await self._entries.keep(_name(server_id, "terms"), url, grant.terms.model_dump_json())
        self._kept()

    async def forget(self, server_id: str) -> None:
        """Forget what was given for a server; its tokens are still taken out of texts."""
        for part in (*PARTS, "terms"):
            await self._entries.forget(_name(server_id, part), still_known=part != "terms")

    async def _value(self, server_id: str, part: str, url: str) -> str:
        entry = await self._entries.entry(_name(server_id, part))
        return entry[1] if entry is not None and entry[0] == url else ""


def _name(server_id: str, part: str) -> str:
    return f"mcp-sign-in:{server_id}:{part}"
