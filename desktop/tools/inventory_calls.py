"""The inventory of a pull request, as a tool gets it."""

from collections.abc import Awaitable
from typing import Protocol

from desktop.domain.core.base import Frozen


class ToldInventory(Frozen):
    """A pull request as it stands now. `text`: what strangers wrote, to be marked with `source`; `about`: what the
    program itself says of it; `rows`: kind, what, and state of each thing to fix."""

    number: int
    source: str
    about: str
    text: str
    rows: tuple[tuple[str, str, str], ...] = ()


class Inventory(Protocol):
    """Tells what the pull request of the chat's lane waits for."""

    def __call__(self, wanted: str, /) -> Awaitable[ToldInventory]:
        """The inventory as it stands now. `wanted`: its number or id, "" for whichever it is. Raises BanksmanError."""
