"""What a tool gets of a pull request's inventory."""

from collections.abc import Awaitable, Callable

from desktop.domain.core.base import Frozen


class ToldInventory(Frozen):
    """A pull request as it stands now. `text`: what strangers wrote, to be marked with `source`; `about`: what the
    program itself says of it; `rows`: kind, what, and state of each thing to fix."""

    number: int
    source: str
    about: str
    text: str
    rows: tuple[tuple[str, str, str], ...] = ()


Inventory = Callable[[str], Awaitable[ToldInventory]]
"""Ask GitHub how the lane's request stands. The text names a request by number or id, "": the lane's own.

Raises BanksmanError with why it cannot be told.
"""
