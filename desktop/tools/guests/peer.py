"""GuestPeer: the guest of a chat, as the tools see it that stand for its calls."""

from typing import Protocol

from desktop.tools.tool import ToolContext, ToolResult


class GuestPeer(Protocol):
    """The guest that works in the chat."""

    def does(self, call_id: str) -> bool:
        """Whether this call is one that it does itself; else it is one of ours, which it made over the bridge."""

    def allowed(self, call_id: str) -> None:
        """A person allowed what it asked for, and it may go on."""

    async def carried_out(self, ctx: ToolContext) -> ToolResult:
        """Let the guest do what it asked for in this call, and wait until it says how that ended.

        Raises:
            ToolError: it did not do it, or ended before it said so.
        """
