"""Credentials: what is recorded of a secret that a person gave to agents. The value stands in the keyring alone."""

import re
from datetime import datetime, timedelta
from typing import Literal

from desktop.domain.core.base import Frozen

Kept = Literal["closed", "day", "month", "removed"]
"""How long a secret is kept: until Banksman closes, a day, 30 days, until a person removes it."""
Ended = Literal["", "removed", "expired", "closed"]
MOST_USES = 5
SHORTEST_VALUE = 8
LONGEST_VALUE = 32_768
_HANDLE = re.compile(r"secret:(sec_[0-9a-f]{12})")
_TIMES = {"day": timedelta(days=1), "month": timedelta(days=30)}


class Credential(Frozen):
    """The record of one secret. `names`: the variables as which it may be given, none named: any that is not refused.
    `hosts`: to which it may be sent in a header, as people type them, none named: to none.
    `project_id`: the repository whose chats may use it; `made_by`: the chat that asked for it. `place`: where its value
    is. `ended`: why it cannot be used any more; its value is gone then. `bound`: the secrets of skills that a person
    said it is, each as the skill's folder and the name it has there."""

    id: str
    provider: str
    label: str = ""
    names: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    project_id: str = ""
    project_path: str = ""
    session_id: str = ""
    made_by: str = ""
    made_at: datetime
    kept: Kept = "closed"
    expires_at: datetime | None = None
    place: Literal["keyring", "memory"] = "memory"
    uses: int = 0
    last_used_at: datetime | None = None
    ended: Ended = ""
    bound: tuple[str, ...] = ()

    @property
    def handle(self) -> str:
        """How agents name it."""
        return f"secret:{self.id}"

    @property
    def title(self) -> str:
        """How people know it."""
        return f"{self.label} ({self.provider})" if self.label else self.provider


def id_in(handle: str) -> str:
    """The id that a handle names, "" for what is no handle."""
    match = _HANDLE.fullmatch(handle)
    return match[1] if match is not None else ""


def expiry(kept: Kept, now: datetime) -> datetime | None:
    """When a secret that is kept so long from now on expires; None: at no moment that is known."""
    return now + _TIMES[kept] if kept in _TIMES else None


def why_ended(credential: Credential, now: datetime) -> Ended:
    """Why a secret cannot be used now, "" when it can."""
    past = credential.expires_at is not None and now >= credential.expires_at
    return credential.ended or ("expired" if past else "")


def value_problem(value: str) -> str:
    """Why a value cannot be kept, "" when it can. One that is too short could not be taken out of texts again."""
    if len(value.strip()) < SHORTEST_VALUE:
        return f"A secret needs at least {SHORTEST_VALUE} characters: a shorter one could not be kept out of texts."
    if len(value) > LONGEST_VALUE:
        return f"A secret has at most {LONGEST_VALUE:,} characters."
    return "The secret holds a NUL character. Paste it again." if "\0" in value else ""
