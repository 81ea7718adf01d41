"""`banksman://` links: they name a chat, a card, a lane or a pull request to look at, and can do nothing else."""

import re
from typing import Literal

from desktop.records import dataclass

SCHEME = "banksman://"
MOST_CHARS = 2_048
REFUSED = "That link cannot be opened."
LinkKind = Literal["chat", "card", "lane", "pull"]
_CHAT, _LANE = r"(?P<chat>ses_[0-9a-f]{32})", r"(?P<lane>ln_[0-9a-f]{12})"
_FORMS: tuple[tuple[LinkKind, re.Pattern[str]], ...] = (
    ("chat", re.compile(rf"chat/{_CHAT}/?")),
    ("card", re.compile(rf"card/{_CHAT}/?")),
    ("lane", re.compile(rf"lane/{_LANE}/?")),
    ("pull", re.compile(rf"pull/{_LANE}/?")),
)


@dataclass(frozen=True)
class Link:
    """What a link leads to. `id`: of the chat (for its card, too), or of the lane (for its pull request, too)."""

    kind: LinkKind
    id: str


def is_link(text: str) -> bool:
    """Whether this is meant as a link, whatever it holds."""
    return text[: len(SCHEME)].lower() == SCHEME


def parse_link(text: str) -> Link | None:
    """What the link leads to; None: its form is not known, or it is longer than 2,048 characters."""
    if not is_link(text) or len(text) > MOST_CHARS:
        return None
    rest = text[len(SCHEME) :]
    found = ((kind, form.fullmatch(rest)) for kind, form in _FORMS)
    return next((Link(kind, match.group(1)) for kind, match in found if match is not None), None)
