"""The search over the tools of servers: BM25 over names, descriptions and names of parameters."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from operator import itemgetter

from desktop.records import dataclass

K1, B = 1.2, 0.75
NAME_WEIGHT = 3
"""A word of a name counts as often as this."""
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W0-9_a-zA-Z]+")


@dataclass(frozen=True)
class Searched:
    """A tool as the search knows it."""

    name: str
    description: str = ""
    parameters: tuple[str, ...] = ()


class ToolIndex:
    """Made once from all tools; each search is asked of it."""

    def __init__(self, tools: Iterable[Searched]) -> None:
        self._places: dict[str, list[tuple[int, int]]] = {}
        self._lengths: list[int] = []
        for place, tool in enumerate(tools):
            counts = Counter(words(f"{tool.description} {' '.join(tool.parameters)}"))
            for word in words(tool.name):
                counts[word] += NAME_WEIGHT
            self._lengths.append(counts.total())
            for word, times in counts.items():
                self._places.setdefault(word, []).append((place, times))
        self._usual = max(sum(self._lengths) / max(len(self._lengths), 1), 1.0)

    def find(self, query: str, most: int = 8) -> Sequence[int]:
        """The places of the tools that fit best, the best first; of equals the earlier first."""
        scores: dict[int, float] = {}
        for word in set(words(query)):
            found = self._places.get(word, [])
            rare = math.log(1 + (len(self._lengths) - len(found) + 0.5) / (len(found) + 0.5))
            for place, times in found:
                length = 1 - B + B * self._lengths[place] / self._usual
                scores[place] = scores.get(place, 0.0) + rare * times * (K1 + 1) / (times + K1 * length)
        ranked = sorted(scores.items(), key=lambda one: (-one[1], one[0]))
        return list(map(itemgetter(0), ranked[:most]))


def words(text: str) -> list[str]:
    """The words of a text in small letters; `createPullRequest` and `create_pull_request` have three, and an s at the
    end does not count."""
    return [_stem(word.casefold()) for word in _WORD.findall(text)]


def _stem(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
