"""Events of hooks: runs that had a say, and how many had none."""

from typing import Literal

from pydantic import Field

from desktop.domain.core.event_base import EventBase
from desktop.domain.hooks.values import HookDecision, HookMoment, HookScope


class HookRan(EventBase):
    """A hook ran and asked, denied, changed the call, noted, had the agent go on, or failed. `exit_status` None: it did
    not end by itself. `reason`: its own words, or why it failed; `stderr`: the beginning of what it printed there."""

    type: Literal["hook_ran"] = "hook_ran"
    hook: str
    scope: HookScope = "person"
    event: HookMoment
    call_id: str = ""
    decision: HookDecision
    reason: str = ""
    exit_status: int | None = None
    duration_ms: int = 0
    stderr: str = ""


class HooksPassed(EventBase):
    """How often hooks ran in a turn and had nothing to say: by hook the number of runs, with the time of all."""

    type: Literal["hooks_passed"] = "hooks_passed"
    turn_id: str = ""
    passes: dict[str, int] = Field(default_factory=dict)
    duration_ms: int = 0


class HooksTrusted(EventBase):
    """A person trusted the hooks of this file for exactly this content, with the scripts that they run."""

    type: Literal["hooks_trusted"] = "hooks_trusted"
    path: str
    sha256: str
    hooks: tuple[str, ...] = ()
    by: Literal["person"] = "person"


HookEvent = HookRan | HooksPassed | HooksTrusted
