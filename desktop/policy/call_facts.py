"""The facts that the rules of the gate may know: of one call, and of the session it belongs to. Stored with each
decision."""

from typing import Literal

from desktop.domain.core.base import Frozen
from desktop.domain.core.permissions import Assessment, Category, PermissionMode
from desktop.domain.gate.rules import RuleMatches
from desktop.domain.gate.sandbox import SandboxLevel
from desktop.policy.children import ChildrenFacts
from desktop.policy.mcp.facts import McpFacts
from desktop.policy.paths import PathFacts
from desktop.policy.shell.verdict import ShellVerdict
from desktop.policy.sql.verdict import SqlVerdict
from desktop.policy.web import WebFacts

SandboxProfile = Literal["bare", "lane-off", "lane-hosts", "lane-open", "outside"]
"""Where a command runs: without a sandbox because there is none; in it, without the network, with hosts that are named,
or with all of it; out of it."""


class SessionGateFacts(Frozen):
    """The facts that the rules may know of a session. `session_grants` are remember keys a person allowed for this
    session.

    `on_primary`: the lane is the person's own checkout; `primary_allowed`: they started the session on it knowingly.
    `lane_moved`: the lane folder is not the one the session was opened on. `answerable`: a person can answer a card.
    `sandbox`: what the last probe found; `tainted`: secret or untrusted things the session has read; `holds_secrets`:
    what it has read is not only what strangers wrote. `search_first`: the turn must have looked into the memory before
    it changes anything, and has not.
    `keeps_hosts`: the sandbox can let a command reach named hosts alone. `bash_words`: the beginnings that commands of
    this agent must have, () for any.
    """

    mode: PermissionMode
    kind: Literal["interactive", "hosted"] = "interactive"
    primary_allowed: bool = False
    on_primary: bool = False
    hosted_grant: bool = False
    lane_moved: bool = False
    session_grants: frozenset[str] = frozenset()
    answerable: bool = True
    sandbox: SandboxLevel = "none"
    tainted: tuple[str, ...] = ()
    holds_secrets: bool = True
    search_first: bool = False
    keeps_hosts: bool = True
    bash_words: tuple[str, ...] = ()


class SqlFacts(Frozen):
    """The SQL of a call and where it would run. `target`: file or host, for people."""

    connection: str
    verdict: SqlVerdict
    target: str = ""
    production: bool = False


class SecretFact(Frozen):
    """A secret that a call would be given: its id, how people know it, and as which variable: holding the value, or the
    path of a file that does; or in which header of the request to `host`."""

    secret_id: str
    title: str
    way: Literal["env", "file", "header"]
    name: str
    host: str = ""


class CallFacts(Frozen):
    """One call as the rules see it: the tool's own category, what it stated about this call, and what was judged.

    `origin`: an agent of the program, or a guest, which carries the call out itself.
    `asks_person`: the tool asks a person by itself, so it is not asked about a second time. `network`: it can reach the
    network; `hosts`: those that it asks to reach by name. `publishes`: it gives something to others, at `target`.
    `rules`: the person's rules that speak about it.
    `secrets`: what it would be given of those that people entrusted to agents.
    `children`: of a call that begins a sub-agent, those there are. `web`: the address of the web that it asks for.
    `mcp`: of a call to a server, which tool of which.
    """

    tool: str
    category: Category
    assessment: Assessment
    origin: Literal["agent", "acp"] = "agent"
    args_sha256: str = ""
    paths: tuple[PathFacts, ...] = ()
    asks_person: bool = False
    command: ShellVerdict | None = None
    sql: SqlFacts | None = None
    profile: SandboxProfile = "bare"
    network: bool = False
    hosts: tuple[str, ...] = ()
    publishes: bool = False
    target: str = ""
    rules: RuleMatches = RuleMatches()
    secrets: tuple[SecretFact, ...] = ()
    children: ChildrenFacts | None = None
    web: WebFacts | None = None
    mcp: McpFacts | None = None
