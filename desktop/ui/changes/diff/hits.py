"""What can be clicked in a row of a diff, and where: ticks, line numbers, and what the head of a hunk offers."""

from PySide6.QtCore import QRect
from PySide6.QtGui import QFontMetrics

from desktop.language import tr
from desktop.records import dataclass
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import CAPTION, ICON_LINE, SPACE_1, SPACE_2

WIDE = 560
"""From this width on what a head offers is written out."""
HEAD_ROW, MORE_LINES = 28, 20


@dataclass(frozen=True, slots=True)
class DiffHit:
    """`name`: its object name; `label`: what it does, in words; `text`: what is painted, "" for the icon alone."""

    name: str
    label: str
    rect: QRect
    text: str = ""
    icon: str = ""


@dataclass(frozen=True, slots=True)
class HeadFacts:
    """What the head of a hunk is told. `hidden`: lines above it that are not shown, −1 where nobody knows how many."""

    hidden: int
    can_tick: bool
    can_revert: bool
    is_tail: bool = False


@dataclass(frozen=True, slots=True)
class Columns:
    """Where things stand in a row, in pixels from its left; `halves`: left edges and width of each side."""

    width: int
    tick: int
    number: int
    sign: int
    split: bool

    @property
    def half(self) -> int:
        """The width of one side."""
        return self.width // 2 if self.split else self.width

    @property
    def text(self) -> int:
        """Where text begins within a side."""
        return self.tick + (self.number if self.split else 2 * self.number) + self.sign

    def left(self, side: str) -> int:
        """Where a side begins."""
        return self.half if self.split and side == "new" else 0


def head_hits(facts: HeadFacts, columns: Columns) -> list[DiffHit]:
    """What the head of a hunk offers, from left to right; its row begins at 0, 0."""
    look = theme()
    height, width = look.px(HEAD_ROW), columns.width
    hits: list[DiffHit] = []
    if facts.can_tick and not facts.is_tail:
        hits.append(DiffHit("changes_tick_hunk", tr("Commit this change"), QRect(0, 0, columns.tick, height)))
    wide = width >= look.px(WIDE)
    offers: list[tuple[str, str, str, str]] = []
    if facts.hidden:
        offers.append(
            (
                "changes_more",
                tr("Show {number} more lines", number=MORE_LINES),
                tr("Show {number} more", number=MORE_LINES),
                "unfold-vertical",
            )
        )
        offers.append(("changes_whole", tr("Show the whole file"), tr("Show whole file"), "file-text"))
    if facts.can_revert and not facts.is_tail:
        offers.append(("changes_revert_change", tr("Revert this change…"), tr("Revert…"), "undo-2"))
    metrics = QFontMetrics(look.font(CAPTION))
    right = width - look.px(SPACE_1)
    for name, label, text, icon in reversed(offers):
        room = metrics.horizontalAdvance(text) + look.px(2 * SPACE_2) if wide else look.px(ICON_LINE + SPACE_2 + 4)
        right -= room
        hits.append(DiffHit(name, label, QRect(right, 0, room, height), text if wide else "", icon))
    return sorted(hits, key=lambda hit: hit.rect.left())
