"""What a person did to a card without answering it: kept when the card is built anew for another theme or zoom."""

from desktop.records import dataclass


@dataclass(frozen=True)
class CardLook:
    """State of one card. `seen` and `shown_all`: per piece of evidence, in order. `why`: its panel is open.

    `row`: which row stands in place of the buttons, -1 for none. `page`: the shown question. `secrets`: what is typed
    in fields that are kept nowhere else. `crop`, `blanks`: what of a picture would be sent.
    """

    seen: tuple[bool, ...] = ()
    shown_all: tuple[bool, ...] = ()
    why: bool = False
    row: int = -1
    page: int = 0
    secrets: tuple[str, ...] = ()
    crop: tuple[int, int, int, int] | None = None
    blanks: tuple[tuple[int, int, int, int], ...] = ()
