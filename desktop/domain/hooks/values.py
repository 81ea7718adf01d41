"""Hooks: programs of a person or a repository that are told of calls and turns, as their files describe them."""

from typing import Literal

from desktop.domain.core.base import Frozen

HookMoment = Literal["before_call", "after_call", "on_stop", "on_card", "on_turn_start"]
HookScope = Literal["person", "repository"]
HookDecision = Literal["asked", "denied", "changed", "noted", "continued", "failed"]
"""What came of a run that was not a mere pass."""


class HookMatch(Frozen):
    """The calls that a hook is about: all that is named must hold. `tool`: its name; `kind`: its category; `tokens`:
    the first words of a command in it; `glob`: a path of the lane that it names."""

    tool: str = ""
    kind: Literal["", "read", "write", "bash", "external"] = ""
    tokens: tuple[str, ...] = ()
    glob: str = ""


class Hook(Frozen):
    """One hook as its file describes it. Either `command`, the words of a program, or `text`, a line for the shell.

    `match` () is every call. `timeout_s`: how long one run may take. `network`: the hosts that it may reach.
    `blocking`: the end of a turn waits for it, and it may have the agent go on.
    """

    id: str
    on: HookMoment
    match: tuple[HookMatch, ...] = ()
    command: tuple[str, ...] = ()
    text: str = ""
    timeout_s: float = 5.0
    network: tuple[str, ...] = ()
    blocking: bool = True

    @property
    def shown(self) -> str:
        """Its command in one line, for people."""
        return self.text or " ".join(self.command)
