"""GuestPeer: the guest of a chat, as the tools see it that stand for its calls."""

from typing import Protocol

from desktop.domain.guests.values import HeldBy
from desktop.records import dataclass
from desktop.tools.tool import ToolContext, ToolResult


@dataclass(frozen=True)
class CallOrigin:
    """Where a call of a guest comes from. `asker`: who asks, as a card says it; `part_of`: the call that it is a part
    of, `again`: as which it was asked about before, "" for none."""

    asker: str
    held_by: HeldBy
    part_of: str = ""
    again: str = ""


class GuestPeer(Protocol):
    """The guest that works in the chat."""

    def origin(self, call_id: str) -> CallOrigin | None:
        """Where this call comes from; None for one of which nothing is known."""

    def does(self, call_id: str) -> bool:
        """Whether this call is one that it does itself; else it is one of ours, which it made over the bridge."""

    def allowed(self, call_id: str) -> None:
        """A person allowed what it asked for, and it may go on."""

    async def carried_out(self, ctx: ToolContext) -> ToolResult:
        """Let the guest do what it asked for in this call, and wait until it says how that ended.

        Raises:
            ToolError: it did not do it, or ended before it said so.
        """
