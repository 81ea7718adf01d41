"""Names of lanes: what a person may call one, and what its branch and folder are called then (lanes-L7)."""

import re
import unicodedata
from collections.abc import Iterable

from desktop.domain.core.errors import LaneError
from desktop.domain.lanes.lane import LANE_COLORS, Lane

BRANCH_PREFIX = "lane/"
SLUG_MAX_CHARS = 40
NAME_MAX_CHARS = 60
SHORT_NAME_CHARS = 28
MAX_SUFFIX = 99
IN_USE = frozenset({"creating", "active", "broken"})
_HANGING = {"a", "an", "and", "at", "by", "for", "from", "in", "is", "it", "of", "on", "or", "the", "to", "with"}
_DEVICES = {"con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(10))}
_PREFIX = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(?:/[A-Za-z0-9][A-Za-z0-9._-]*)*[/-]?")


def checked_name(text: str) -> str:
    """The name as it is kept: white space at the ends and runs of it taken out.

    Raises:
        LaneError: nobody could read or say it.
    """
    name = " ".join(text.split())
    if not any(char.isalnum() for char in name):
        raise LaneError("Give the lane a name with a letter or a digit.")
    if len(name) > NAME_MAX_CHARS:
        raise LaneError(f"A lane's name has at most {NAME_MAX_CHARS} characters; this one has {len(name)}.")
    if any(unicodedata.category(char) in ("Cc", "Cs") for char in name):
        raise LaneError("A lane's name must not hold control characters.")
    return name


def lane_slug(name: str, lane_id: str) -> str:
    """The name as a branch and folder name: ASCII, lower case, dashes, at most 40 characters, no name of a device."""
    ascii_name = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    slug = re.sub(r"[^a-z0-9]+", "-", ascii_name.lower()).strip("-")[:SLUG_MAX_CHARS].strip("-")
    if not slug:
        return f"lane-{lane_id[-6:]}"
    return f"lane-{slug}" if slug in _DEVICES else slug


def lane_name(text: str) -> str:
    """A short name for the lane of a task: its first words, as far as 28 characters go."""
    words: list[str] = []
    for word in re.findall(r"\w+", text):
        if words and len(" ".join([*words, word])) > SHORT_NAME_CHARS:
            break
        words.append(word)
    while len(words) > 1 and words[-1].lower() in _HANGING:
        words.pop()
    return "-".join(words).lower()[:NAME_MAX_CHARS]


def prefix_problem(prefix: str) -> str:
    """Why branches of lanes cannot begin with this, "" if they can."""
    if prefix and (_PREFIX.fullmatch(prefix) is None or ".." in prefix or ".lock/" in prefix or len(prefix) > 40):
        return "Use letters, digits, dots, dashes and slashes, such as lane/."
    return ""


def require_free_name(name: str, others: Iterable[Lane]) -> None:
    """Raises LaneError when another lane of the repository has this name, whatever its case."""
    if name.casefold() in {lane.name.casefold() for lane in others}:
        raise LaneError(f'There is a lane named "{name}" already. Choose another name.')


def free_name(wanted: str, slug: str, others: Iterable[Lane]) -> str:
    """A name that no other lane has: the wanted one, else its slug, else that with a number."""
    taken = {lane.name.casefold() for lane in others}
    short = " ".join(wanted.split())[:NAME_MAX_CHARS].strip() or slug
    numbered = (f"{slug}-{number}" for number in range(2, len(taken) + 3))
    return next(name for name in (short, slug, *numbered) if name.casefold() not in taken)


def free_color(others: Iterable[Lane]) -> str:
    """The first colour that no lane in use has, "" when all are taken."""
    taken = {lane.color.casefold() for lane in others if lane.state in IN_USE}
    return next((color for color in LANE_COLORS if color not in taken), "")


def require_free_color(color: str, lane_id: str, others: Iterable[Lane]) -> None:
    """Raises LaneError for what is no colour of lanes, or that of another lane in use."""
    if color and color not in LANE_COLORS:
        raise LaneError(f"There is no colour {color!r}. Choose one of: {', '.join(LANE_COLORS)}.")
    for lane in others:
        if color and lane.id != lane_id and lane.state in IN_USE and lane.color.casefold() == color:
            raise LaneError(f'The lane "{lane.name}" is {color} already. Choose another colour.')
