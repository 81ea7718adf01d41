"""ScrollAnchor: pinned to the end, or free with a row that does not move; which of both a scroll leads to."""

from desktop.records import dataclass
from desktop.ui.chats.transcript.painting.row_layouts import RowLayouts


@dataclass
class ScrollAnchor:
    """How the view stands. Free: the row at `row` keeps its top `offset` pixels above the view's top.

    `offset` is negative for a row that begins inside the view. `new`: rows added below since the view became free.
    """

    layouts: RowLayouts
    pin_distance: int = 160
    pinned: bool = True
    row: int = 0
    offset: int = 0
    new: int = 0

    def pin(self) -> None:
        """Show the end from now on."""
        self.pinned, self.new = True, 0

    def open(self) -> None:
        """Begin with another chat: at its end."""
        self.pin()
        self.row = self.offset = 0

    def person_scrolled(self, before: int, after: int, end: int) -> None:
        """A person moved the view. Up makes it free at once; down pins it near the end."""
        if after < before:
            self.pinned = False
        elif end - after <= self.pin_distance:
            self.pin()

    def moved(self, before: int, after: int, page: int) -> None:
        """Follow a scroll: the anchor row moves with it, or another one is taken after a jump."""
        self.offset += after - before
        if not -page < self.offset < page * 2:
            self.take(after)

    def take(self, value: int) -> None:
        """Hold on to the first visible row at this scroll value."""
        row = self.layouts.heights.row_at(value)
        if row >= 0:
            self.row, self.offset = row, value - self.layouts.heights.top(row)

    def hold(self, row: int, value: int) -> None:
        """Hold on to this row where it is now."""
        self.row, self.offset = row, value - self.layouts.heights.top(row)

    def value(self) -> int:
        """The scroll value at which the anchor row stands where it should."""
        if not len(self.layouts.heights):
            return 0
        self.row = max(0, min(self.row, len(self.layouts.heights) - 1))
        return self.layouts.heights.top(self.row) + self.offset

    def inserted(self, first: int, count: int, *, fresh: int) -> None:
        """Rows were added: `fresh` of them are new to a person who reads above."""
        if first <= self.row and len(self.layouts.heights) > count:
            self.row += count
        elif not self.pinned:
            self.new += fresh

    def removed(self, first: int, count: int) -> None:
        """Rows went."""
        if first + count <= self.row:
            self.row -= count
        elif first <= self.row:
            self.row, self.offset = first, 0
