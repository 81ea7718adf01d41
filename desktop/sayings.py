"""What the program said in English and recorded so, read in another language: sentences with parts that differ."""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from pathlib import Path
from string import Formatter

LEAST_LETTERS = 6
"""A sentence with fewer letters of its own fits too much to be told by its words."""
LEAST_BEGUN = 5
"""So many are enough in words that it begins with."""
MOST_TOGETHER = 4
"""So many sentences at most are one that is known."""
_MORE = "{} and {} more"
_FIGURE = re.compile(r"\$?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_MEASURE = re.compile(r"(?P<n>[0-9][0-9,]*(?:\.[0-9]+)?) (?P<unit>s|ms|bytes|KB|MB|GB|KiB|MiB|GiB)")
_BEHIND = re.compile(r": \{([0-9]+)\}")
_SAYS = re.compile(
    r"(?:it|its [a-z]+|they|there|nobody|this [a-z]+|no [a-z]+|(?:the|a|other) [A-Za-z]+(?: [a-z]+){0,4}) "
    r"(?:is|are|was|were|has|have|cannot|could|did|does|would|took|ended|run|[a-z]+s)\b"
)
"""A clause with its verb."""
_COUNTED = re.compile(r"(?P<n>\$?[0-9][0-9,]*(?:\.[0-9]+)?) (?P<of>[a-z].*)")
_CUT = re.compile(r"(?P<named>.+) and (?P<n>[0-9][0-9,]*) more")
_QUOTED = re.compile(r"“[^“”]*”(?:, “[^“”]*”)*|'[^'“”]+'")
_CLAUSE = re.compile(r"[a-z]+ [a-z']+ ")
_RULED = re.compile(r"(?P<of>.+[.!?]) (?P<rule>\([A-Z]-[a-z-]+\))")
_ENDS = re.compile(r"(?<=[.!?…”]) (?=[^\s(])|(?<=\)) (?=[^a-z(])")


class Sayings:
    """The sentences of one language. `told`: by the English sentence, with `{}` for each part that differs; the other
    language names them by their place, `{0}`, where it puts them in another order. `figure`: writes "1,204" with its
    separators; `more`: says of a list that it names not all, and how many others there are; `day`: writes
    "2026-09-02"; `quoted`: writes names in “quotes” or 'quotes'; `begun`: a clause as it begins behind a
    colon."""

    def __init__(
        self,
        told: Mapping[str, str],
        figure: Callable[[str], str] = str,
        more: Callable[[str, str], str] = _MORE.format,
        day: Callable[[str], str] = str,
        quoted: Callable[[str], str] = str,
        begun: Callable[[str], str] = str,
    ) -> None:
        self._begun = begun
        self._figure, self._more, self._day, self._quoted = figure, more, day, quoted
        self._texts = {key: text for key, text in told.items() if text}
        known = [(_parts(key), text) for key, text in self._texts.items()]
        self._plain = {parts[0]: text.format() for parts, text in known if len(parts) == 1}
        forms = [(parts, text) for parts, text in known if len(parts) > 1 and _tells(parts)]
        self._heads = {
            parts[0][:-2]: text.removesuffix(".")
            for parts, text in known
            if len(parts) == 2 and parts[0].endswith(": ") and parts[1] in (".", "")
        }
        self._forms: dict[str, list[tuple[list[str], str]]] = defaultdict(list)
        for parts, text in sorted(forms, key=lambda form: -_letters(form[0])):
            self._forms[parts[0].split(" ")[0] if " " in parts[0] else ""].append((parts, text))
        self.of = lru_cache(maxsize=4096)(self._of)

    def filled(self, form: str, parts: Sequence[str]) -> str:
        """A form with `{}` for each part, with the parts in their places; those that are known are translated too."""
        return self._texts.get(form, form).format(*(self._named(one) or one for one in parts))

    def _of(self, text: str) -> str:
        """A text of several lines and sentences, each translated that is known, the others as they are."""
        return "\n".join(self._line(line) for line in text.split("\n"))

    def _line(self, line: str) -> str:
        head, _, reason = line.partition(": ")
        if head in self._heads and (known := self._line(reason)) != reason:
            return self._heads[head].format(self._begun(known) if _SAYS.match(reason) else known)
        pieces, at, told = _ENDS.split(line), 0, []
        while at < len(pieces):
            for size in range(min(MOST_TOGETHER, len(pieces) - at), 0, -1):
                found = self._sentence(" ".join(pieces[at : at + size]))
                if found is not None:
                    break
            told.append(pieces[at] if found is None else found)
            at += size
        if told == pieces and len(pieces) > 1:
            return self._sentence(line, loose=True) or line
        return " ".join(told)

    def _sentence(self, text: str, *, loose: bool = False) -> str | None:
        """The translation, None where there is none. `loose`: what differs may itself be several sentences."""
        if not text or text in self._plain:
            return self._plain.get(text)
        told: str
        for parts, told in chain(self._forms.get(text.split(" ", 1)[0], ()), self._forms.get("", ())):
            found = _between(parts, text)
            if found is not None and (loose or not any(_ENDS.search(one) for one in found)):
                return self._filled(told, found, [self._part(*one) for one in zip(found, parts, strict=False)])
            if found is not None and parts[-1] == "" and parts[-2].endswith(": "):
                reason = self._line(found[-1])
                if reason != found[-1] and not any(_ENDS.search(one) for one in found[:-1]):
                    return told.format(*found[:-1], reason)
        if (ruled := _RULED.fullmatch(text)) and (known := self._sentence(ruled["of"])) is not None:
            return f"{known} {ruled['rule']}"
        return None

    def _filled(self, told: str, found: list[str], parts: list[str]) -> str:
        """A form with its parts told; a clause behind a colon begins as one does there in the language."""
        behind = {int(place) for place in _BEHIND.findall(told) if int(place) < len(found)}
        clauses = {at for at in behind if parts[at] != found[at] and _SAYS.match(found[at])}
        return told.format(*(self._begun(part) if at in clauses else part for at, part in enumerate(parts)))

    def _part(self, text: str, before: str) -> str:
        """What differs: a text that is known; a clause ("it is longer than 255 bytes"), which begins small; a reason,
        which stands after a colon; or a sentence of its own before what follows."""
        known = self._named(text)
        clause = _CLAUSE.match(text) or _COUNTED.fullmatch(text)
        if known is None and (clause or before.endswith(": ") or (not before and text.endswith("."))):
            known = self._sentence(text)
        if known is None and before.endswith(": ") and (whole := self._sentence(f"{text}.")) is not None:
            known = whole.removesuffix(".")
        return text if known is None else known

    def _named(self, text: str) -> str | None:
        """Texts that are known, a figure, a day, a figure with what it counts, or a list that names not all."""
        if text in self._plain:
            return self._plain[text]
        for shape, written in ((_FIGURE, self._figure), (_DAY, self._day), (_QUOTED, self._quoted)):
            if shape.fullmatch(text):
                return written(text)
        if " → " in text and all(told := [self._named(one) for one in text.split(" → ")]):
            return " → ".join(filter(None, told))
        if measure := _MEASURE.fullmatch(text):
            return f"{self._figure(measure['n'])} {measure['unit']}"
        if (counted := _COUNTED.fullmatch(text)) and (form := self._texts.get(f"{{}} {counted['of']}")):
            return form.format(self._figure(counted["n"]))
        if "; " in text and all(told := [self._named(one) for one in text.split("; ")]):
            return "; ".join(filter(None, told))
        cut = _CUT.fullmatch(text)
        return self._more(self._named(cut["named"]) or cut["named"], self._figure(cut["n"])) if cut else None


def read(
    files: Iterable[Path],
    figure: Callable[[str], str] = str,
    more: Callable[[str, str], str] = _MORE.format,
    day: Callable[[str], str] = str,
    quoted: Callable[[str], str] = str,
    begun: Callable[[str], str] = str,
) -> Sayings:
    """The sentences in some files, and how the language writes figures, lists and the like, as `Sayings` takes them.

    Raises:
        OSError, ValueError: one of them cannot be read.
    """
    told: dict[str, str] = {}
    for file in files:
        told |= json.loads(file.read_bytes())
    return Sayings(told, figure, more, day, quoted, begun)


def _parts(key: str) -> list[str]:
    """What stands around the parts that differ: one more than there are of them."""
    parts = [""]
    for literal, field, _, _ in Formatter().parse(key):
        parts[-1] += literal
        if field is not None:
            parts.append("")
    return parts


def _tells(parts: list[str]) -> bool:
    """Whether a sentence is told by its words."""
    return _letters(parts) >= LEAST_LETTERS or _letters(parts[:1]) >= LEAST_BEGUN


def _letters(parts: list[str]) -> int:
    return sum(one.isalpha() for part in parts for one in part)


def _between(parts: list[str], text: str) -> list[str] | None:
    """What stands in a text between the parts of a sentence, None where it is another one."""
    if not text.startswith(parts[0]) or not text.endswith(parts[-1]):
        return None
    at, end = len(parts[0]), len(text) - len(parts[-1])
    found = []
    for part in parts[1:-1]:
        next_at = text.find(part, at, end)
        if next_at < 0:
            return None
        found.append(text[at:next_at])
        at = next_at + len(part)
    return [*found, text[at:end]] if at <= end else None
