"""Commands about sub-agents."""

from typing import Literal

from desktop.domain.core.command import Command


class StopChild(Command):
    """End a sub-agent, with its own and all that they run; its chat goes on without it."""

    type: Literal["stop_child"] = "stop_child"
    child_id: str
