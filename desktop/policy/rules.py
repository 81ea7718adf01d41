"""The rules of a person that speak about a call, and whether they allow the whole of it (gate 5)."""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import lru_cache
from posixpath import normpath

from desktop.domain.core.base import Frozen
from desktop.domain.core.permissions import Category
from desktop.domain.gate.rules import Rule, RuleDecision, RuleMatch, RuleMatches
from desktop.policy.lazy import may_write_unnamed, names_in, uses_network
from desktop.policy.mcp.facts import McpFacts, may_grant, rule_allows, rule_names, rule_of
from desktop.policy.network.hosts import AllowedHost, Host, check_allowed, check_host, includes, overlap
from desktop.policy.paths import PathFacts
from desktop.policy.shell.verdict import ShellVerdict, SimpleCommand
from desktop.policy.shell.words.cover import covers, names_program, uncovered_reason
from desktop.policy.shell.words.loose_words import ALONE, argv_may_run, text_may_run
from desktop.policy.sql.verdict import SqlVerdict

_MADE_AT_RUN_TIME = "\x01"
_TAKE_FOLDERS = frozenset({"rm", "mv"})
MOST_SIGNS = 4
"""A word with more signs of a pattern may mean any file."""
_STARS = re.compile(r"\*+")
SCOPES = ("managed", "user", "project", "shared", "session")


class CallSubject(Frozen):
    """One call, as rules see it. `text`: the command line, for rules that tighten where the line could not be read.
    `connection`: the SQL connection it names, "" if none. `lane_root`: the folder of the lane. `network`: it asks for
    the network or uses it by itself; `may_reach`: nothing keeps it from the network; `host`: the one of the web that it
    asks for, at `port`, "" for none; `hosts`: those that a command asks to reach by name.
    `irreversible`: the tool says it cannot be undone. `mcp`: of a call to a server, which tool of which."""

    tool: str
    category: Category
    command: ShellVerdict | None = None
    text: str = ""
    paths: tuple[PathFacts, ...] = ()
    sql: SqlVerdict | None = None
    connection: str = ""
    lane_id: str = ""
    lane_root: str = ""
    irreversible: bool = False
    network: bool = False
    may_reach: bool = False
    hosts: tuple[str, ...] = ()
    host: str = ""
    port: int = 443
    mcp: McpFacts | None = None


def match_rules(rules: Sequence[Rule], subject: CallSubject, now: datetime) -> RuleMatches:
    """The rules that deny, ask about or allow this call; their order has no meaning (gate-R1).

    `allow` is set only when nothing denies or asks and the allow rules cover the whole call; it holds those that were
    needed. Expired rules and rules of another lane are as if they were not there.
    """
    valid = [rule for rule in rules if is_in_force(rule, now) and rule.lane in ("", subject.lane_id)]
    deny = _tightening(valid, "deny", subject)
    ask = _tightening(valid, "ask", subject)
    allowing = sorted((rule for rule in valid if rule.decision == "allow"), key=_narrowest_first)
    used, note = _allowing(allowing, subject)
    return RuleMatches(
        deny=deny,
        ask=ask,
        allow=() if deny or ask else tuple(rule_match(rule) for rule in used),
        hosts=() if deny or ask else tuple(map(rule_match, _allowing_hosts(allowing, subject))),
        note=note,
    )


def is_in_force(rule: Rule, now: datetime) -> bool:
    """Whether the rule has not expired (gate-R9)."""
    return rule.expires_at is None or now < rule.expires_at


def rule_match(rule: Rule) -> RuleMatch:
    """The rule as a decision and its card cite it."""
    return RuleMatch(
        rule_id=rule.id,
        scope=rule.scope,
        decision=rule.decision,
        text=rule.text,
        reason=rule.reason,
        created_by=rule.created_by,
        created_at=rule.created_at,
        quote=rule.quote,
    )


def tightens(rule: Rule, subject: CallSubject) -> bool:
    """Whether an ask or deny rule is about this call. Where the call cannot be read, it is."""
    match rule.kind:
        case "command":
            return bool(rule.tokens) and _may_run(_tokens(rule), subject)
        case "path":
            if subject.command is not None and (_names_path(rule, subject) or _may_write_any(rule, subject)):
                return True
            paths = subject.paths if subject.command is None or not rule.outside else ()
            return any(path_matches(rule, facts, exactly=False) for facts in paths)
        case "network":
            if rule.host == "*":
                return _surely_reaches(subject) or (bool(rule.quote) and subject.may_reach)
            hosts = subject.command.hosts if subject.command else (subject.host,)
            asked = any(overlap(one.pattern, rule.host.casefold().rstrip(".")) for one in _hosts_of(subject))
            return asked or any(host_matches(rule.host, host) for host in hosts)
        case "tool":
            return rule.name == subject.tool
        case "sql":
            return _carries_sql(rule, subject)
    return subject.mcp is not None and rule_names(rule, subject.mcp)


def covering_rules(rules: Iterable[Rule], verdict: ShellVerdict) -> tuple[Rule, ...] | None:
    """The allow rules that this line needs, one for each simple command that is not proven, in the line's order.

    None: it is outside what rules may speak of, or a command of it is neither proven nor covered (gate-R11).
    """
    if not verdict.coverable or not verdict.simple:
        return None
    candidates = tuple(rules)
    needed: dict[str, Rule] = {}
    for command in verdict.simple:
        if command.proven:
            continue
        rule = next((rule for rule in candidates if covers(rule.tokens, command)), None)
        if rule is None:
            return None
        needed.setdefault(rule.id + rule.scope, rule)
    return tuple(needed.values())


def path_matches(rule: Rule, facts: PathFacts, *, exactly: bool) -> bool:
    """Whether a path rule names this path for what is done to it. `exactly`: only as resolved, and case counts."""
    if ("read" if facts.op in ("read", "list") else "write") not in rule.ops:
        return False
    names = {facts.rel} if exactly else {facts.rel, facts.raw.removeprefix("./")}
    if rule.outside:
        return not any(glob_matches(rule.glob, name, exactly=True) for name in names)
    return any(glob_matches(rule.glob, name, exactly=exactly) for name in names)


def glob_matches(glob: str, path: str, *, exactly: bool) -> bool:
    """Whether the pattern names the lane-relative path: `*` and `?` stop at `/`, `**` spans folders; case counts only
    when `exactly`."""
    if exactly:
        return bool(glob) and _glob(glob).fullmatch(path) is not None
    return bool(glob) and _glob(glob.casefold()).fullmatch(path.casefold()) is not None


def host_matches(pattern: str, host: str) -> bool:
    """Whether a rule's host names this one: exactly, or for `.example.org` any name below it."""
    wanted, named = _one_spelling(pattern), _one_spelling(host)
    return bool(wanted) and (named == wanted or (wanted.startswith(".") and named.endswith(wanted)))


def _one_spelling(name: str) -> str:
    """A host, or the end of its name that begins with a dot, in the letters that are sent; as it is if it is none."""
    plain = name.casefold().rstrip(".")
    if plain.isascii():
        return plain
    found = check_host(plain.removeprefix("."))
    return ("." if plain.startswith(".") else "") + found.name if isinstance(found, Host) else plain


def _tightening(rules: Iterable[Rule], decision: RuleDecision, subject: CallSubject) -> tuple[RuleMatch, ...]:
    found = [
        rule_match(rule)
        for rule in rules
        if rule.decision in (decision, "deny") and tightens(rule, subject) and _as_said(rule, subject) == decision
    ]
    return tuple(sorted(found, key=lambda match: (SCOPES.index(match.scope), match.rule_id, match.text)))


def _as_said(rule: Rule, subject: CallSubject) -> RuleDecision:
    """The decision of a rule that is about a call. Words of a person that forbid refuse what a command surely does;
    where it could do it, with a word that is made at run time or with files that nobody foretells, they ask
    (memory-SB5)."""
    if rule.decision != "deny" or not rule.quote or subject.command is None:
        return rule.decision
    if rule.kind == "path":
        return "deny" if not rule.outside and _names_path(rule, subject) else "ask"
    if rule.kind == "network":
        return "deny" if _surely_reaches(subject) else "ask"
    if rule.kind != "command":
        return "deny"
    known = [[word.replace("$", _MADE_AT_RUN_TIME) for word in one.argv] for one in subject.command.simple]
    if any(argv_may_run(_tokens(rule), argv) for argv in known):
        return "deny"
    return "deny" if text_may_run(_tokens(rule), subject.text.replace("$", _MADE_AT_RUN_TIME)) else "ask"


def _tokens(rule: Rule) -> tuple[str, ...]:
    return (*rule.tokens, ALONE) if rule.alone else rule.tokens


def _surely_reaches(subject: CallSubject) -> bool:
    """Whether a call uses the network, as far as its own words tell."""
    return subject.network or (subject.command is not None and uses_network(subject.command, subject.text))


def _may_write_any(rule: Rule, subject: CallSubject) -> bool:
    """Whether a command could write the files of a rule that a person spoke without naming them: from a patch."""
    verdict = subject.command
    speaks = bool(rule.quote) and "write" in rule.ops
    return speaks and verdict is not None and may_write_unnamed(verdict, subject.text)


def _names_path(rule: Rule, subject: CallSubject) -> bool:
    """Whether a command names what a path rule is about, in any word of its text, also within quotes or behind a
    redirection. One that is proven to only read writes nothing; of another nobody can foretell which other files it
    writes, so that a rule about all files outside a pattern is about it."""
    verdict = subject.command
    if verdict is None or ("read" not in rule.ops and verdict.proven_read):
        return False
    if rule.outside:
        return True
    names = names_in(subject.text, subject.lane_root)
    if names is None or any(_is_named(rule.glob, name) for name in names):
        return True
    goes = (one.argv[1:] for one in verdict.simple if one.argv and one.argv[0].rsplit("/", 1)[-1] in _TAKE_FOLDERS)
    return any(rule.glob.startswith(f"{normpath(word)}/") for words in goes for word in words)


def _is_named(glob: str, name: str) -> bool:
    if glob_matches(glob, name, exactly=False) or _is_folder_of(glob, name):
        return True
    signs = _STARS.sub("*", name)
    many = signs.count("*") + signs.count("?")
    return many > MOST_SIGNS or (many > 0 and glob_matches(signs, glob, exactly=False))


def _is_folder_of(glob: str, name: str) -> bool:
    """Whether the pattern names all that lies in this folder."""
    return glob.endswith("/**") and glob_matches(glob, f"{name}/x", exactly=False)


def _narrowest_first(rule: Rule) -> tuple[int, str, int, str]:
    return -len(rule.tokens), rule.text, SCOPES.index(rule.scope), rule.id


def _allowing(rules: Sequence[Rule], subject: CallSubject) -> tuple[tuple[Rule, ...], str]:
    """The rules that together allow the whole call, and why one that looks as if it did does not."""
    if subject.command is not None:
        tokens = [rule for rule in rules if rule.kind == "command" and rule.scope != "managed"]
        used = covering_rules(tokens, subject.command)
        return used or (), "" if used is not None else _near_miss(tokens, subject.command)
    if subject.host:
        hosts = [rule for rule in rules if rule.kind == "network" and host_matches(rule.host, subject.host)]
        return tuple([rule for rule in hosts if subject.port in rule.ports][:1]), ""
    if subject.mcp is not None:
        return _allowed_server(rules, subject.mcp, sql=subject.sql is not None), ""
    if subject.category is Category.EXTERNAL:
        named = [rule for rule in rules if rule.kind == "tool" and rule.name == subject.tool]
        return tuple(named[:1]) if subject.sql is None and not subject.irreversible else (), ""
    return _allowed_paths([rule for rule in rules if rule.kind == "path"], subject), ""


def _allowed_server(rules: Sequence[Rule], mcp: McpFacts, *, sql: bool) -> tuple[Rule, ...]:
    """The rule that allows exactly this tool, or the word of a person on what they accepted of it."""
    if not may_grant(mcp, sql=sql):
        return ()
    found = [rule for rule in rules if rule.kind == "mcp" and rule_allows(rule, mcp)]
    return tuple(found[:1]) or ((rule_of(mcp),) if mcp.policy == "allow" else ())


def _hosts_of(subject: CallSubject) -> Iterable[AllowedHost]:
    return (one for one in map(check_allowed, subject.hosts) if isinstance(one, AllowedHost))


def _allowing_hosts(rules: Sequence[Rule], subject: CallSubject) -> tuple[Rule, ...]:
    """The rules that allow every host of a call with every port; () when one has none."""
    named = [rule for rule in rules if rule.kind == "network" and rule.scope != "managed"]
    needed: dict[str, Rule] = {}
    for wanted in _hosts_of(subject):
        for port in wanted.ports:
            found = (rule for rule in named if port in rule.ports and includes(_pattern(rule), wanted.pattern))
            if (rule := next(found, None)) is None:
                return ()
            needed.setdefault(rule.id + rule.scope, rule)
    return tuple(needed.values())


def _pattern(rule: Rule) -> str:
    found = check_allowed(rule.host)
    return found.pattern if isinstance(found, AllowedHost) else ""


def _allowed_paths(rules: Sequence[Rule], subject: CallSubject) -> tuple[Rule, ...]:
    if subject.sql is not None or subject.category is Category.BASH:
        return ()
    needed: dict[str, Rule] = {}
    for facts in subject.paths:
        rule = next((rule for rule in rules if path_matches(rule, facts, exactly=True)), None)
        if rule is None or facts.verdict != "inside":
            return ()
        needed.setdefault(rule.id + rule.scope, rule)
    return tuple(needed.values())


def _near_miss(rules: Sequence[Rule], verdict: ShellVerdict) -> str:
    for command in verdict.simple:
        if not command.proven:
            for rule in rules:
                if names_program(rule.tokens, command) and (why := _why_not(rule, verdict, command)):
                    return f"The rule {rule.text} does not cover this: {why}"
    return ""


def _why_not(rule: Rule, verdict: ShellVerdict, command: SimpleCommand) -> str:
    return uncovered_reason(rule.tokens, command) or ("" if verdict.coverable else verdict.reason)


def _may_run(tokens: Sequence[str], subject: CallSubject) -> bool:
    verdict = subject.command
    if verdict is None:
        return False
    if any(argv_may_run(tokens, command.argv) for command in verdict.simple):
        return True
    unread = not verdict.coverable or not verdict.simple or any(command.assigned for command in verdict.simple)
    return unread and text_may_run(tokens, subject.text)


def _carries_sql(rule: Rule, subject: CallSubject) -> bool:
    texts = [subject.sql] if subject.sql is not None else []
    texts += subject.command.sql if subject.command else ()
    if not texts or rule.connection not in ("*", subject.connection):
        return False
    wanted = {kind.upper() for kind in rule.statements}
    if "*" in wanted:
        return True
    return any(not sql.statements or any(_is_kind(s.kind, wanted) for s in sql.statements) for sql in texts)


def _is_kind(kind: str, wanted: set[str]) -> bool:
    return any(f"{kind.upper()} ".startswith(f"{name} ") for name in wanted)


@lru_cache(maxsize=512)
def _glob(pattern: str) -> re.Pattern[str]:
    out, at = "", 0
    while at < len(pattern):
        if pattern.startswith("**/", at):
            out, at = out + "(?:[^/]+/)*", at + 3
        elif pattern.startswith("**", at):
            out, at = out + ".*", at + 2
        else:
            out += {"*": "[^/]*", "?": "[^/]"}.get(pattern[at], re.escape(pattern[at]))
            at += 1
    return re.compile(out, re.DOTALL)
