"""Any call and any session that the gate could be asked about, for properties; and short ways to write one."""

from datetime import UTC, datetime
from typing import Any

from hypothesis import strategies as st

from desktop.domain.core.permissions import Assessment, Category, PermissionMode
from desktop.domain.gate.rules import RuleMatch, RuleMatches
from desktop.policy.call_facts import CallFacts, SecretFact, SessionGateFacts, SqlFacts
from desktop.policy.mcp.facts import McpFacts
from desktop.policy.paths import WalkFacts, assess_path
from desktop.policy.shell.verdict import DenyHit, ShellPath, ShellVerdict, SimpleCommand
from desktop.policy.sql.verdict import SqlStatement, SqlVerdict

NOW = datetime(2026, 11, 22, tzinfo=UTC)
SECRET = SecretFact(secret_id="sec_0123456789ab", title="Deploy token (Shop)", way="env", name="KEY")
READS = SqlVerdict(proven_read=True, code="proven_read", reason="")
KEYS = st.sampled_from([None, "a", "b"])
TEXT = st.sampled_from(["", "why", "why."])


def sql(class_: str = "destructive", **more: Any) -> SqlVerdict:
    """A statement of this class that is not proven."""
    statement = SqlStatement(kind="DELETE", class_=class_, tables=("t",), destructive=class_ == "destructive")
    values = {"proven_read": False, "code": "write", "reason": "It deletes rows.", "statements": (statement,), **more}
    return SqlVerdict(**values)


def match(decision: str, **more: Any) -> RuleMatch:
    """A rule of this project that speaks about a call."""
    values = {"rule_id": f"r-{decision}", "scope": "project", "decision": decision, "text": "npm test", **more}
    return RuleMatch(**values)


WALKS = st.builds(
    WalkFacts,
    fault=st.sampled_from(["", "", "too many links"]),
    place=st.sampled_from(["lane", "lane", "reference", "outside"]),
    rel=st.sampled_from([".", "a", ".env", ".git/config"]),
    names=st.sampled_from([(), (("a",),), ((".env",),), ((".git", "config"),), ((".husky", "x"),)]),
    system=st.booleans(),
    product_folder=st.booleans(),
    git_folder=st.booleans(),
    kind=st.sampled_from(["file", "dir", "missing", "other"]),
    nlink=st.integers(0, 3),
    other_device=st.booleans(),
    via_symlink=st.sampled_from(["", "a → b"]),
)
PATHS = st.builds(assess_path, st.just("a"), st.sampled_from(["read", "list", "write", "delete"]), WALKS)
SQLS = st.one_of(
    st.just(READS), st.sampled_from(["write", "schema", "destructive", "privilege", "opaque", "transaction"]).map(sql)
)
COMMANDS = st.builds(
    ShellVerdict,
    proven_read=st.booleans(),
    coverable=st.booleans(),
    simple=st.sampled_from([(), (SimpleCommand(words=()),)]),
    paths=st.lists(
        st.builds(
            ShellPath,
            path=st.just("a"),
            op=st.sampled_from(["read", "write"]),
            verdict=st.sampled_from(["inside", "reference", "outside", "protected", "invalid"]),
            reason=TEXT,
        ),
        max_size=2,
    ).map(tuple),
    git_writes=st.booleans(),
    sql=st.lists(SQLS, max_size=1).map(tuple),
    deny=st.lists(
        st.builds(
            DenyHit,
            id=st.sampled_from(["D-root", "D-history"]),
            severity=st.sampled_from(["forbid", "confirm"]),
            reason=TEXT,
        ),
        max_size=2,
    ).map(tuple),
)
MATCHES = st.builds(
    RuleMatches,
    deny=st.sampled_from([(), (), (), (match("deny"),)]),
    ask=st.sampled_from([(), (), (match("ask"),)]),
    allow=st.sampled_from([(), (match("allow"),)]),
    unreadable=st.sampled_from(["", "", "rules.toml, line 7"]),
    note=st.sampled_from(["", "The script changed."]),
)
MCP = st.builds(
    McpFacts,
    server=st.just("s"),
    tool=st.just("t"),
    pin_sha256=st.just("a" * 64),
    pin=st.sampled_from(["accepted", "accepted", "changed"]),
    destructive=st.booleans(),
    policy=st.sampled_from(["ask", "allow", "never"]),
    writes_lane=st.booleans(),
)
CALLS = st.builds(
    CallFacts,
    tool=st.just("t"),
    category=st.sampled_from(Category),
    assessment=st.builds(
        Assessment,
        category=st.sampled_from(Category),
        needs_consent=st.booleans(),
        remember_key=KEYS,
        proven_read=st.booleans(),
    ),
    paths=st.lists(PATHS, max_size=2).map(tuple),
    asks_person=st.booleans(),
    command=st.one_of(st.none(), COMMANDS),
    sql=st.one_of(st.none(), st.builds(SqlFacts, connection=st.just("shop"), verdict=SQLS, production=st.booleans())),
    profile=st.sampled_from(["bare", "lane-off", "lane-hosts", "lane-open", "outside"]),
    network=st.booleans(),
    publishes=st.booleans(),
    rules=MATCHES,
    secrets=st.sampled_from([(), (), (SECRET,)]),
    mcp=st.one_of(st.none(), MCP),
)
SESSIONS = st.builds(
    SessionGateFacts,
    mode=st.sampled_from(PermissionMode),
    kind=st.sampled_from(["interactive", "hosted"]),
    primary_allowed=st.booleans(),
    on_primary=st.booleans(),
    hosted_grant=st.booleans(),
    lane_moved=st.booleans(),
    session_grants=st.frozensets(st.sampled_from(["a", "b"])),
    answerable=st.booleans(),
    sandbox=st.sampled_from(["none", "limited", "full"]),
    tainted=st.sampled_from([(), (".env",)]),
    holds_secrets=st.booleans(),
    search_first=st.booleans(),
)
