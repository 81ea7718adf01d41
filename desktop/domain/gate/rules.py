"""Rules: what a person allowed, wants to be asked about or forbids for good, and how one matched a call (gate 5)."""

from datetime import datetime
from typing import Literal

from desktop.domain.core.base import Frozen

RuleScope = Literal["managed", "user", "project", "shared", "session"]
RuleDecision = Literal["allow", "ask", "deny"]
RuleKind = Literal["command", "path", "network", "mcp", "tool", "sql"]


class Bind(Frozen):
    """The code behind a rule, as it was when the rule was saved: a file, or one entry of a JSON file."""

    path: str
    key: str = ""
    sha256: str = ""


class Rule(Frozen):
    """One rule, as its file has it. Only the fields of its kind are set; `scope` comes from where it was read.

    `outside`: a path rule is about every path that its pattern does not name. `alone`: a command rule is about the
    command without further words but options, as `yarn` installs. `quote`: the words of a person that it
    was made from. `match` and `not_match`: its own tests, whole command lines or targets, checked at load (gate-R8).
    """

    id: str
    decision: RuleDecision
    kind: RuleKind
    scope: RuleScope = "project"
    tokens: tuple[str, ...] = ()
    glob: str = ""
    outside: bool = False
    alone: bool = False
    ops: tuple[Literal["read", "write"], ...] = ("read", "write")
    name: str = ""
    host: str = ""
    ports: tuple[int, ...] = (443,)
    server: str = ""
    tool: str = ""
    pin_sha256: str = ""
    connection: str = ""
    statements: tuple[str, ...] = ("*",)
    reason: str = ""
    quote: str = ""
    created_at: datetime | None = None
    created_by: Literal["card", "settings", "chip", "hand", "taint"] = "hand"
    request_id: str = ""
    expires_at: datetime | None = None
    lane: str = ""
    binds: tuple[Bind, ...] = ()
    match: tuple[str, ...] = ()
    not_match: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The target of the rule in one line, such as `npm run test`, `docs/**`, `create_lane`."""
        target = {
            "command": " ".join(self.tokens),
            "path": self.glob,
            "network": self.host,
            "mcp": f"{self.server} › {self.tool}",
            "tool": self.name,
            "sql": self.connection,
        }
        return target[self.kind]


class RuleMatch(Frozen):
    """A rule that speaks about a call."""

    rule_id: str
    scope: RuleScope
    decision: RuleDecision
    text: str
    reason: str = ""
    created_by: str = ""
    created_at: datetime | None = None
    quote: str = ""


class RuleMatches(Frozen):
    """All rules that match a call. `allow` is set only when together they cover the whole of it (gate-R11).

    `hosts`: the rules that allow every host that the call may reach, () when one of these has none.
    `unreadable`: file, line and fault of a rules file that could not be read, "" if all could. `note`: why a rule that
    looks as if it should cover does not ("the script behind this rule changed").
    """

    deny: tuple[RuleMatch, ...] = ()
    ask: tuple[RuleMatch, ...] = ()
    allow: tuple[RuleMatch, ...] = ()
    hosts: tuple[RuleMatch, ...] = ()
    unreadable: str = ""
    note: str = ""


class RuleState(Frozen):
    """A rule as Settings lists it. `problem`: why it is off or flagged, "" when it works as written.

    `hits`: how often it decided a call; `last_used` None: never.
    """

    rule: Rule
    active: bool = True
    problem: str = ""
    hits: int = 0
    last_used: datetime | None = None


class RuleFile(Frozen):
    """One file of rules. `problem`: its fault with line. `waiting`: allow rules that wait for the person's trust;
    `sha256` is of the content they would be trusted for."""

    scope: RuleScope
    path: str
    rules: tuple[RuleState, ...] = ()
    problem: str = ""
    waiting: tuple[Rule, ...] = ()
    sha256: str = ""


class PastCall(Frozen):
    """A call of the past that a rule would have matched. `outcome`: what became of it then (allowed, asked, declined,
    refused)."""

    session_id: str
    call_id: str
    at: datetime
    text: str
    outcome: Literal["allowed", "approved", "declined", "refused", "cancelled"]


class AskedKind(Frozen):
    """Commands of one kind that a person was asked about. `times`: how often; `covered`: how many of all askings the
    rules of these words, together, would have answered; `declined`: how many of those a person declined."""

    tokens: tuple[tuple[str, ...], ...]
    times: int
    covered: int
    declined: int = 0


class AskedLately(Frozen):
    """How often commands asked a person in a day, and of which kinds most, commonest first: only those that a rule
    could answer."""

    asked: int = 0
    kinds: tuple[AskedKind, ...] = ()


class Simulation(Frozen):
    """The effect that a rule would have had on the recorded calls (gate-R18). `examples`: at most 20, declined ones
    first.

    `checked`: calls looked at; `unknown`: calls recorded without the facts to tell.
    """

    checked: int = 0
    would_match: int = 0
    newly_allowed: int = 0
    newly_asked: int = 0
    newly_denied: int = 0
    declined: int = 0
    unknown: int = 0
    examples: tuple[PastCall, ...] = ()
