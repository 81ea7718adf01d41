"""Names of the tools of servers: how a model calls them, and those that are off because of their name."""

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Sequence

from desktop.domain.display.scripts import scripts_of

MOST_CHARS = 64
_KEPT = 55
_DIGITS = 8
PREFIX = "mcp__"
_OTHERS = re.compile(r"[^A-Za-z0-9_-]")
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})

SAME_NAME = "Another tool of this server has the same name."
TAKEN = "A tool of Banksman has this name."
LIKE_ANOTHER = "It cannot be told apart from another tool."
HIDDEN = "Its name holds characters that cannot be seen. It stays off until you give it another name."
MIXED = "Its name mixes letters of several scripts. It stays off until you give it another name."
BLANK = "It has no name."


def model_name(server: str, tool: str) -> str:
    """The name under which a model calls the tool: `mcp__<server>__<tool>`, at most 64 letters, digits, `_` and `-`."""
    full = f"{PREFIX}{server}__{tool}"
    name = _OTHERS.sub("_", full)
    if len(name) <= MOST_CHARS:
        return name
    return f"{name[:_KEPT]}_{hashlib.sha256(full.encode('utf-8', 'surrogatepass')).hexdigest()[:_DIGITS]}"


def shown_name(server: str, tool: str) -> str:
    """The name by which people know the tool."""
    return f"{server} › {tool}"


def name_problem(tool: str) -> str:
    """Why a tool of this name is off by itself, in one sentence; "" when it is not."""
    if not tool.strip():
        return BLANK
    if any(unicodedata.category(char) in _HIDDEN for char in tool):
        return HIDDEN
    return MIXED if len(scripts_of(tool)) > 1 else ""


def named_off(tools: Sequence[tuple[str, str]], taken: Collection[str]) -> dict[int, str]:
    """The tools, as (server, tool) in the order in which they came to be known, that are off because of their names:
    by their place, with the reason. `taken`: names of the program's own tools that none may have.

    Two of one server with the same name are both off; of two that look or are called alike the later one is.
    """
    own = {folded(name) for name in taken}
    times, counted = Counter(tools), set[str]()
    off: dict[int, str] = {}
    for place, (server, tool) in enumerate(tools):
        alike = {folded(shown_name(server, tool)), model_name(server, tool)}
        problem = name_problem(tool)
        if times[server, tool] > 1:
            problem = problem or SAME_NAME
        elif folded(tool) in own:
            problem = problem or TAKEN
        elif alike & counted:
            problem = problem or LIKE_ANOTHER
        if problem:
            off[place] = problem
        else:
            counted |= alike
    return off


def folded(name: str) -> str:
    """The name without differences of case and of forms of the same letters, by which names are compared."""
    return unicodedata.normalize("NFKC", name).casefold().strip()
