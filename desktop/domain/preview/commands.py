"""Commands about previews. What comes of them is told by events, by updates and by CommandFailed."""

from typing import Literal

from desktop.domain.core.command import Command


class TryInCopy(Command):
    """Run the command of an open request in a copy of the lane. `digest`: of the request on screen. → TriedInCopy."""

    type: Literal["try_in_copy"] = "try_in_copy"
    session_id: str
    input_id: str
    digest: str


class ApplyEffect(Command):
    """Answer an open request: make the difference in the lane that its command made in the copy. `digest`: of the
    request on screen; `effect`: of that difference; `confirm`: the word that was typed where the request wants one."""

    type: Literal["apply_effect"] = "apply_effect"
    session_id: str
    input_id: str
    digest: str
    effect: str
    confirm: str = ""
