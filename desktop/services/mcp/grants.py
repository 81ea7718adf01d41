"""Grants: what a sign-in gave, kept in the keyring by server and address, and never as anything but a secret."""

import base64
import json

from mcp.shared.auth import OAuthToken
from mcp.shared.auth_utils import check_resource_allowed
from pydantic import Field, SecretStr, ValidationError

from desktop.domain.core.base import Frozen
from desktop.services.mcp.sign_in_place import SignInError
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
    their own in the keyring, so that they are taken out of all texts like every other secret."""

    def __init__(self, entries: KeyringEntries) -> None:
        self._entries = entries

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

    async def forget(self, server_id: str) -> None:
        """Forget what was given for a server; its tokens are still taken out of texts."""
        for part in (*PARTS, "terms"):
            await self._entries.forget(_name(server_id, part), still_known=part != "terms")

    async def _value(self, server_id: str, part: str, url: str) -> str:
        entry = await self._entries.entry(_name(server_id, part))
        return entry[1] if entry is not None and entry[0] == url else ""


def _name(server_id: str, part: str) -> str:
    return f"mcp:{server_id}:{part}"


def renewed_grant(grant: Grant, token: OAuthToken, now: float) -> Grant:
    """The grant with what the authority gave now; what it does not say again stays.

    Raises:
        SignInError: the token is for another place than the server.
    """
    if fault := audience_fault(token.access_token, grant.terms.resource):
        raise SignInError(fault)
    ends = now + token.expires_in if token.expires_in is not None else None
    scopes = tuple(token.scope.split()) if token.scope is not None else grant.terms.scopes
    return grant.model_copy(
        update={
            "terms": grant.terms.model_copy(update={"expires_at": ends, "scopes": scopes}),
            "access": SecretStr(token.access_token),
            "refresh": SecretStr(token.refresh_token) if token.refresh_token else grant.refresh,
        }
    )


def audience_fault(token: str, resource: str) -> str:
    """Why a token is not for this place, "". Only a token that says for which addresses it is can be judged; one that
    is opaque, or names its audience otherwise, passes."""
    parts = token.split(".")
    if len(parts) != 3:
        return ""
    try:
        claims = json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except ValueError:
        return ""
    said = claims.get("aud") if isinstance(claims, dict) else None
    audience = [one for one in (said if isinstance(said, list) else [said]) if isinstance(one, str)]
    addresses = [one for one in audience if "://" in one]
    if not addresses or len(addresses) < len(audience):
        return ""
    if any(check_resource_allowed(resource, one) for one in addresses):
        return ""
    return "The token that was given is for another place than this server. It is not used."
