"""Scene: what is shown, how it is reached, and in which sizes it is taken."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from tests.screens.stage import Stage

SIZES = ((1360, 840), (1024, 700))
Play = Callable[[Stage], AsyncIterator[str]]


@dataclass(frozen=True)
class Scene:
    """`play` yields the name of each picture, such as "11-card-command", at the moment it is to be taken.

    `sizes`: of the window. `project` False: no repository is open. `zoom`: in percent. `anew`: played anew for each
    theme (another theme draws a card anew), for each size (a popup closes, a page is scrolled to what it shows), or for
    each theme in each size (what is shown leaves by itself).
    """

    play: Play
    sizes: tuple[tuple[int, int], ...] = SIZES
    zoom: int = 100
    project: bool = True
    key_needed: bool = False
    anew: Literal["", "theme", "size", "look"] = ""
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What `--only` looks in."""
        return self.play.__name__
