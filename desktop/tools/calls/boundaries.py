"""The call by which a tool puts words of a person before them as a boundary."""

from typing import Literal, Protocol

from desktop.domain.core.base import Frozen


class WantedBoundary(Frozen):
    """A boundary as the agent asks for it: see the tool."""

    quote: str
    decision: Literal["ask", "deny"]
    command: str = ""
    path: str = ""
    reading: bool = False
    tool: str = ""


class ChatBoundaries(Protocol):
    """The boundaries of a chat."""

    def propose(self, call_id: str, wanted: WantedBoundary, /) -> str:
        """Put it before the person; its title. It does not hold before they keep it.

        Raises:
            BanksmanError: no person said these words in this chat.
        """
