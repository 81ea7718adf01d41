"""NameIndex: many names searched by some of their letters in order, within milliseconds for 50,000 of them."""

import heapq
import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from copy import copy
from itertools import islice
from typing import NamedTuple

from desktop.domain.core.fuzzy import best_weight

_LETTER_BITS = {char: 1 << at for at, char in enumerate("abcdefghijklmnopqrstuvwxyz0123456789._-/")}
_OTHER_BIT = 1 << len(_LETTER_BITS)
_BREAKS = re.escape("/._-# ")
_MOST_WEIGHED = 300
"""So many of those that match are weighed letter by letter; they are the shortest."""
_MOST_IN_ORDER = 3_000
"""So many that have the letters in order are looked at for starts of words; they are the shortest."""
_LAST_PART, _WHOLE = 3, 20


MOST_CHANGES = 2_000
"""With more of them than these the names are indexed anew."""


class Ranked(NamedTuple):
    """A name that was found, and how well it fits: higher is better."""

    weight: int
    name: str


class NameIndex:
    """Names as they are, searched without regard to case. Nothing changes once it is made; any thread may search."""

    def __init__(self, names: Iterable[str], separator: str = "/") -> None:
        """`separator`: what the last part of a name, which counts most, stands behind."""
        self._separator = separator
        self._names = sorted(names, key=lambda name: (len(name), name))
        self._lowered = [name.lower() for name in self._names]
        self._masks = [_mask(name) for name in self._lowered]
        self._whole, self._whole_starts = _joined(self._lowered)
        self._lasts, self._last_starts = _joined([name[_last_part(name, separator) :] for name in self._lowered])

    def __len__(self) -> int:
        return len(self._names)

    def search(self, query: str, most: int) -> list[str]:
        """The names that have these letters in order, the best first: those of the last part of a path before others,
        starts of words and letters in a row before letters anywhere, short names before long ones."""
        return [one.name for one in self.ranked(query, most)]

    def ranked(self, query: str, most: int) -> list[Ranked]:
        """As `search`, with how well each fits."""
        wanted = query.lower().replace(" ", "")
        if not wanted:
            return [Ranked(0, name) for name in self._names[:most]]
        found = ((-_weight(wanted, self._lowered[at], self._separator), at) for at in self._likely(wanted))
        return [Ranked(-weight, self._names[at]) for weight, at in heapq.nsmallest(most, found)]

    def _likely(self, wanted: str) -> list[int]:
        """Those worth to be weighed: in a row at the start of the last part, in a row anywhere, at starts of words,
        anywhere in order; the last two only where the others are few."""
        found = dict.fromkeys(_hits(f"\n{wanted}", self._lasts, self._last_starts))
        if len(found) < _MOST_WEIGHED:
            found |= dict.fromkeys(_hits(wanted, self._whole, self._whole_starts))
        if len(found) < _MOST_WEIGHED:
            in_order = self._in_order(wanted)
            at_words = _word_pattern(wanted).search
            found |= dict.fromkeys(at for at in in_order if at_words(self._lowered[at]))
            found |= dict.fromkeys(in_order[:_MOST_WEIGHED])
        return [*islice(found, 2 * _MOST_WEIGHED)]

    def _in_order(self, wanted: str) -> list[int]:
        """The shortest names that have the letters in order."""
        mask, search, lowered = _mask(wanted), _letter_pattern(wanted).search, self._lowered
        fitting = (at for at, has in enumerate(self._masks) if has & mask == mask)
        return [*islice((at for at in fitting if search(lowered[at])), _MOST_IN_ORDER)]


class Names:
    """Names that change now and then: what came and went since they were indexed is kept beside the index, so that a
    file more does not index 50,000 anew."""

    def __init__(self, names: Iterable[str], separator: str = "/") -> None:
        self._all = frozenset(names)
        self._separator = separator
        self._indexed, self._index = self._all, NameIndex(self._all, separator)
        self._gone: frozenset[str] = frozenset()
        self._come = NameIndex((), separator)

    def __contains__(self, name: str) -> bool:
        return name in self._all

    def __len__(self) -> int:
        return len(self._all)

    def beginning(self, prefix: str) -> list[str]:
        """The names that begin so, in no order."""
        return [name for name in self._all if name.startswith(prefix)]

    def changed_to(self, names: Iterable[str]) -> "Names":
        """As they are now: this very value where nothing changed."""
        now = frozenset(names)
        if now == self._all:
            return self
        come, gone = now - self._indexed, self._indexed - now
        if len(come) + len(gone) > MOST_CHANGES:
            return Names(now, self._separator)
        changed = copy(self)
        changed._all, changed._gone, changed._come = now, gone, NameIndex(come, self._separator)
        return changed

    def ranked(self, query: str, most: int) -> list[Ranked]:
        """As of `NameIndex`."""
        known = self._index.ranked(query, most + len(self._gone))
        found = [*(one for one in known if one.name not in self._gone), *self._come.ranked(query, most)]
        return sorted(found, key=lambda one: (-one.weight, len(one.name), one.name))[:most]


def _joined(parts: Sequence[str]) -> tuple[str, list[int]]:
    """All of them behind a line end each, and where these line ends stand."""
    starts, place = [], 0
    for part in parts:
        starts.append(place)
        place += len(part) + 1
    return "".join(f"\n{part}" for part in parts), starts


def _hits(wanted: str, joined: str, starts: Sequence[int]) -> Iterable[int]:
    """Which of the parts hold this, the shortest first."""
    places = (hit.start() for hit in re.finditer(re.escape(wanted), joined))
    return islice((bisect_right(starts, place) - 1 for place in places), _MOST_WEIGHED)


def _last_part(name: str, separator: str) -> int:
    """Where the last part begins; a folder ends in a slash."""
    return name.rfind(separator, 0, -1) + 1


def _mask(text: str) -> int:
    mask = 0
    for char in set(text):
        mask |= _LETTER_BITS.get(char, _OTHER_BIT)
    return mask


def _word_pattern(wanted: str) -> re.Pattern[str]:
    """Each letter directly behind the one before, or at the start of a later word."""
    first, *others = map(re.escape, wanted)
    later = "".join(f"(?:|.*?[{_BREAKS}]){one}" for one in others)
    return re.compile(f"(?:^|[{_BREAKS}]){first}{later}")


def _letter_pattern(wanted: str) -> re.Pattern[str]:
    return re.compile(".*?".join(map(re.escape, wanted)))


def _weight(wanted: str, name: str, separator: str) -> int:
    """Higher is better; `name` has the letters in order."""
    in_last = best_weight(wanted, name[_last_part(name, separator) :])
    weight = in_last + _LAST_PART if in_last is not None else best_weight(wanted, name) or 0
    return weight + (_WHOLE if wanted in name else 0) - len(name) // 16
