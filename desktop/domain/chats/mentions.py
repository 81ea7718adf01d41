"""Mentions: how files, folders, lanes, chats, proofs, symbols and agents are named in a message with an `@`."""

import re
import unicodedata
from collections.abc import Callable
from typing import Literal

from desktop.domain.core.base import Frozen
from desktop.records import dataclass

MentionKind = Literal["file", "folder", "lane", "chat", "proof", "symbol", "agent"]
KINDS: tuple[MentionKind, ...] = ("file", "folder", "lane", "chat", "proof", "symbol", "agent")
MOST_GIVEN = 10
"""So many mentions of one message are given to the model; the others stay words."""
NAMED_HEAD = "Named with @ in the message above, as Banksman found it:"

_KIND = "|".join(KINDS)
_WRITTEN = re.compile(rf'(?:^|(?<=[\s(]))@(?:({_KIND}):)?(?:"([^"\n]+)"|([^\s"@]+))')
_BEGUN = re.compile(rf'(?:^|(?<=[\s(]))@(?:({_KIND}):)?("[^"\n]*|[^\s"@]*)$')
_TAIL = ".,:;!?)"
_SLUG_CHARS = 24
_ID_CHARS = 6


class MentionGiven(Frozen):
    """What became of one mention of a message. `written`: as it stands there; `words`: what went along, or why
    nothing did. `title`: of the chat that its name stands for, "" for others."""

    written: str
    words: str
    given: bool = True
    title: str = ""


@dataclass(frozen=True)
class Mention:
    """A mention in a text. `kind` "": a file, a folder or an agent. `at`: where it begins, its `@` included."""

    kind: MentionKind | Literal[""]
    name: str
    written: str
    at: int = 0


@dataclass(frozen=True)
class Begun:
    """The mention that is being written at the end of a text. `query`: what is known of its name."""

    kind: MentionKind | Literal[""]
    query: str
    written: str


def begun_at(text: str) -> Begun | None:
    """The mention that ends a text; None: there is none. An address of a mailbox is none."""
    found = _BEGUN.search(text)
    if found is None:
        return None
    return Begun(_kind(found.group(1)), found.group(2).removeprefix('"'), found.group(0))


def mentions_in(text: str) -> list[Mention]:
    """What may be meant by the mentions of a message, each once; whether there is such a thing is not known here."""
    found: dict[tuple[str, str], Mention] = {}
    for match in _WRITTEN.finditer(text):
        quoted, plain = match.group(2), match.group(3)
        written = match.group(0)
        if plain is not None:
            name = plain.rstrip(_TAIL)
            written = written[: len(written) - len(plain) + len(name)]
        else:
            name = quoted
        if name:
            mention = Mention(_kind(match.group(1)), name, written, match.start())
            found.setdefault((mention.kind, mention.name), mention)
    return [*found.values()]


def mention_text(kind: MentionKind, name: str) -> str:
    """How something is named: the path of a file or a folder alone, in quotes where blanks are in it."""
    prefix = "" if kind in ("file", "folder") and not _KIND_FIRST.match(name) else f"{kind}:"
    plain = name and not re.search(r'[\s"@]', name) and name[-1] not in _TAIL
    return f"@{prefix}{name}" if plain else f'@{prefix}"{name}"'


def short_name(title: str, id_: str) -> str:
    """How a chat or a proof is named: words of its title and the end of its id, which tells it from others."""
    return f"{_slug(title)}-{id_[-_ID_CHARS:]}".lstrip("-")


def meant(name: str) -> Callable[[str], bool]:
    """Whether an id is the one that a `short_name` ends with."""
    ending = name.rpartition("-")[2].lower()

    def is_meant(id_: str) -> bool:
        return len(ending) == _ID_CHARS and id_.lower().endswith(ending)

    return is_meant


def symbol_name(path: str, name: str) -> str:
    """How a symbol is named: where it stands and what it is called."""
    return f"{path}#{name}"


_KIND_FIRST = re.compile(rf"(?:{_KIND}):")


def _slug(title: str) -> str:
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode("ascii").lower()
    return "-".join(re.findall(r"[a-z0-9]+", plain))[:_SLUG_CHARS].strip("-")


def _kind(word: str | None) -> MentionKind | Literal[""]:
    return next((kind for kind in KINDS if kind == word), "")
