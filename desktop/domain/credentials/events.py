"""Events of credentials: that a secret was kept, given to a command, and taken back. None holds a value or its hash."""

from datetime import datetime
from typing import Literal

from desktop.domain.core.event_base import EventBase
from desktop.domain.credentials.values import Kept


class CredentialStored(EventBase):
    """A person gave a secret on the card of a call. `place`: where its value is."""

    type: Literal["credential_stored"] = "credential_stored"
    secret_id: str
    provider: str
    label: str = ""
    names: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    kept: Kept = "closed"
    expires_at: datetime | None = None
    place: Literal["keyring", "memory"] = "memory"
    call_id: str = ""
    input_id: str = ""
    by: Literal["person"] = "person"


class CredentialUsed(EventBase):
    """A call that a person allowed is given a secret, as a variable or as a file that the variable names, or sends it
    to `host` in a header."""

    type: Literal["credential_used"] = "credential_used"
    secret_id: str
    label: str = ""
    way: Literal["env", "file", "header"] = "env"
    name: str
    host: str = ""
    call_id: str = ""


class CredentialEdited(EventBase):
    """A person changed as what, or where, a secret may go that this chat has asked for; or said that it is what `skill`
    calls `secret`."""

    type: Literal["credential_edited"] = "credential_edited"
    secret_id: str
    label: str = ""
    names: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    skill: str = ""
    secret: str = ""
    by: Literal["person"] = "person"


class CredentialRevoked(EventBase):
    """A person removed a secret that this chat has asked for or used."""

    type: Literal["credential_revoked"] = "credential_revoked"
    secret_id: str
    label: str = ""
    by: Literal["person"] = "person"
