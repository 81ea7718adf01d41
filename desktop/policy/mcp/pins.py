"""How the tools that a server lists stand to those that a person accepted."""

from collections.abc import Collection, Sequence

from desktop.domain.mcp.updates import McpToolState
from desktop.domain.mcp.values import McpPin, McpPinnedTool, McpTool
from desktop.policy.mcp.names import BLANK, HIDDEN, MIXED, named_off
from desktop.policy.mcp.schemas import schema_problem
from desktop.records import dataclass

NOT_JSON = "Its definition is no proper JSON."
NEW = "Nobody accepted it yet."
CHANGED = "It is other than what was accepted."
GONE = "The server does not list it any more."
NEVER = "It is switched off."
KEPT_OFF = "You keep it off as it is."
_UNUSABLE = frozenset({BLANK, HIDDEN, MIXED})


@dataclass(frozen=True)
class ToolStanding:
    """A tool and how it stands. `tool`: as the server lists it now, as it was accepted if it is gone. `sha256`: of its
    definition, "" for one that has no digest. `pinned`: what a person accepted under its name. `why`: it is not on, a
    sentence."""

    tool: McpTool
    sha256: str
    state: McpToolState
    why: str = ""
    pinned: McpPinnedTool | None = None

    @property
    def name(self) -> str:
        """What it is called here: as a person called it, else by its own name."""
        return _called(self.tool, self.pinned)

    @property
    def is_nameless(self) -> bool:
        """Whether its own name keeps it off until a person gives it another."""
        return self.why in (HIDDEN, MIXED)


def standings(
    server: str, now: Sequence[McpTool], pin: McpPin | None, taken: Collection[str], refused: Collection[str] = ()
) -> list[ToolStanding]:
    """All tools in the order of the server's list, then those that are gone. Accepted ones had their names first.

    Tools that are gone keep their pins, so that one which comes back as another is seen. `taken`: names of the
    program's own tools that none may have; `refused`: digests of definitions to which a person said no.
    """
    known = {one.tool.name: one for one in (pin.tools if pin is not None else ())}
    order = sorted(range(len(now)), key=lambda place: now[place].name not in known)
    off = named_off([(server, _called(now[place], known.get(now[place].name))) for place in order], taken)
    problems = {order[place]: why for place, why in off.items()}
    stood = (_standing(tool, known.get(tool.name), problems.get(place, "")) for place, tool in enumerate(now))
    found = [_refused(one) if one.sha256 in refused else one for one in stood]
    here = {tool.name for tool in now}
    gone = [one for name, one in known.items() if name not in here]
    return [*found, *(ToolStanding(one.tool, one.sha256, "gone", GONE, one) for one in gone)]


def _called(tool: McpTool, pinned: McpPinnedTool | None) -> str:
    return (pinned.called if pinned is not None else "") or tool.name


def _refused(standing: ToolStanding) -> ToolStanding:
    """The same; one that would ask a person stays off."""
    if standing.state not in ("new", "changed"):
        return standing
    return ToolStanding(standing.tool, standing.sha256, "kept_off", KEPT_OFF, standing.pinned)


def _standing(tool: McpTool, pinned: McpPinnedTool | None, problem: str) -> ToolStanding:
    try:
        sha256 = tool.sha256
    except (ValueError, RecursionError):
        return ToolStanding(tool, "", "invalid", NOT_JSON, pinned)
    if problem:
        return ToolStanding(tool, sha256, "invalid" if problem in _UNUSABLE else "clash", problem, pinned)
    if unusable := schema_problem(tool.input_schema):
        return ToolStanding(tool, sha256, "invalid", unusable, pinned)
    if pinned is None:
        return ToolStanding(tool, sha256, "new", NEW)
    if pinned.sha256 != sha256:
        return ToolStanding(tool, sha256, "changed", CHANGED, pinned)
    if pinned.policy == "never":
        return ToolStanding(tool, sha256, "never", NEVER, pinned)
    return ToolStanding(tool, sha256, "on", "", pinned)
