"""What a person's message forbids: `detect` finds it by closed lists of words, and finds nothing where it is unsure."""

from collections.abc import Collection, Iterator

from desktop.domain.boundaries.values import MOST_READ, Boundary, Lifting
from desktop.domain.gate.rules import Rule
from desktop.policy.boundaries import patterns as p
from desktop.policy.boundaries.lexicon import (
    TEST_RUNNERS,
    TITLES,
    VERBS,
    Decision,
    command_rules,
    mcp_rule,
    path_rules,
    rules_for,
)
from desktop.policy.boundaries.targets import globs_of, globs_of_words

NOTHING_NOW = " (matches nothing now)"


def detect(text: str, names: Collection[str] = ()) -> tuple[Boundary, ...]:
    """The boundaries in a message, in the order of its words, each once; `names`: paths of the lane's files.

    Quoted lines, quotes and code are not the person's own words. A question forbids nothing.
    """
    found: dict[tuple[str, str], Boundary] = {}
    known: set[str] = set()
    for start, said in _sayings(text):
        if said not in known and p.begins(said):
            known.add(said)
            for one in _boundaries(start, said, names):
                found.setdefault((one.quote, one.title), one)
    return tuple(found.values())


def liftings(text: str) -> tuple[Lifting, ...]:
    """The words of a message that would lift a boundary; they lift nothing by themselves."""
    found = []
    for start, said in _sayings(text):
        match = p.LIFT.match(said) if p.begins(said) else None
        action = _verb(match["rest"])[0] if match is not None else ""
        if action:
            found.append(Lifting(quote=said.strip(), span=(start, start + len(said)), action=action))
    return tuple(found)


def _sayings(text: str) -> Iterator[tuple[int, str]]:
    """The parts of sentences that are no questions, each with its place in the text."""
    own = p.LEFT_OUT.sub(lambda match: " " * len(match[0]), text[:MOST_READ])
    for sentence in p.SENTENCE.finditer(own):
        whole = sentence[0]
        if whole.rstrip().endswith("?"):
            continue
        words = p.ASIDE.sub(lambda match: " " * len(match[0]), whole.rstrip(".!; \t"))
        at = 0
        for cut in (*p.SPLIT.finditer(words), None):
            end = cut.start() if cut is not None else len(words)
            part = words[at:end]
            lead = len(part) - len(part.lstrip(" \t*-•("))
            if part.strip():
                yield sentence.start() + at + lead, part.lstrip(" \t*-•(").rstrip(" \t*-•)")
            at = cut.end() if cut is not None else end


def _boundaries(start: int, said: str, names: Collection[str]) -> Iterator[Boundary]:
    if limit := _limit(said):
        title = f"Spend at most ${limit / 1_000_000:,.2f}"
        span = start, start + len(said)
        yield Boundary(quote=said, span=span, action="spend", title=title, rules=(), limit_microusd=limit)
        return
    for decision, rest in _readings(said):
        for action, title, rules in _meant(rest, decision, names):
            if rules:
                kept = tuple(rule.model_copy(update={"quote": said, "created_by": "chip"}) for rule in rules)
                yield Boundary(quote=said, span=(start, start + len(said)), action=action, title=title, rules=kept)


def _limit(said: str) -> int:
    """What the chat may cost by these words, in microdollars; 0: they say nothing of it."""
    match = p.SPEND.match(said)
    if match is None or not (match["front"] or match["unit"]):
        return 0
    one = 10_000 if (match["unit"] or "").casefold().startswith("cent") else 1_000_000
    return round(float(match["n"]) * one)


def _readings(said: str) -> Iterator[tuple[Decision, str]]:
    """What is forbidden or to be asked about, as a phrase that begins with its verb."""
    if match := p.ASK.match(said):
        yield "ask", said[match.end() :]
    elif match := p.FORBID.match(said):
        rest = said[match.end() :]
        yield ("ask" if p.CONDITION.search(rest) else "deny"), p.CONDITION.sub("", rest).strip()
    elif match := p.ONLY.match(said):
        yield "deny", f"only {match['t']}"
    elif match := p.HANDS_OFF.match(said) or p.ALONE.match(said):
        yield "deny", f"touch {match['t']}"
    elif p.OFFLINE.match(said):
        yield "deny", "use the network"
    elif match := p.NO.match(said):
        action = next(action for begin, action in p.NO_ACTIONS if match["w"].casefold().startswith(begin))
        yield ("ask" if p.CONDITION.search(said[match.end() :]) else "deny"), f"\0{action}"


def _meant(rest: str, decision: Decision, names: Collection[str]) -> Iterator[tuple[str, str, tuple[Rule, ...]]]:
    """Action, title and rules of each phrase; one without a verb has that of the phrase before it."""
    word = "Ask before you" if decision == "ask" else "Don’t"
    if rest.startswith("\0"):
        yield rest[1:], f"{word} {TITLES[rest[1:]]}", rules_for(rest[1:], decision)
        return
    if rest.startswith("only "):
        yield from _only(rest[5:], "deny", names)
        return
    action, after = _verb(rest)
    if action in ("write", "delete", "read") and (match := p.ALL_BUT.match(after.strip())):
        yield from _only(match["t"], decision, names) if action == "write" else ()
        return
    verb = ""
    for phrase in p.JOIN.split(rest):
        action, after = _verb(phrase)
        if not action and not verb:
            return
        verb, target = (action, after) if action else (verb, phrase)
        yield _one(verb, target.strip(), decision, names, word)


def _only(target: str, decision: Decision, names: Collection[str]) -> Iterator[tuple[str, str, tuple[Rule, ...]]]:
    """All files but those of one place; nothing where more places are named, for a rule leaves out one."""
    places = [globs for part in p.JOIN.split(target) if (globs := globs_of(part, names))]
    if len(places) == 1 and places[0] != ("**",):
        rules = path_rules(places[0][:1], decision, writes=True, outside=True)
        yield "write", f"Only change {places[0][0]}", tuple(rules)


def _verb(phrase: str) -> tuple[str, str]:
    """The action that a phrase begins with, "" for none, and what follows."""
    said = phrase.strip()
    for verb in VERBS:
        match = verb.pattern.match(said)
        if match is not None:
            return verb.action, said[match.end() :]
    return "", phrase


def _one(
    action: str, target: str, decision: Decision, names: Collection[str], word: str
) -> tuple[str, str, tuple[Rule, ...]]:
    if action in ("write", "delete", "read") and p.DATABASE.match(target):
        return "database", f"{word} {TITLES['database']}", rules_for("database", decision)
    if action == "delete" and globs_of(target, names) not in ((), ("**",)):
        action = "write"
    if action == "mcp":
        return _mcp(target, decision, word)
    if action in TITLES:
        return action, f"{word} {TITLES[action]}", rules_for(action, decision)
    if action == "run":
        return _run(target, decision, word)
    globs, doing = globs_of(target, names), "read" if action == "read" else "change"
    nothing = "" if globs or action != "write" else NOTHING_NOW
    if nothing:
        globs = globs_of_words(target)
    rules = path_rules(globs, decision, writes=action == "write")
    return action, f"{word} {doing} {', '.join(globs)}{nothing}", tuple(rules)


def _mcp(target: str, decision: Decision, word: str) -> tuple[str, str, tuple[Rule, ...]]:
    match = p.MCP_SERVER.match(target)
    if match is None:
        return "mcp", "", ()
    name = match["n"] or match["m"] or ""
    servers = dict.fromkeys((name, name.casefold())) if name else ("*",)
    what = f"the MCP server {name}" if name else "MCP servers"
    return "mcp", f"{word} use {what}", tuple(mcp_rule(server, decision) for server in servers)


def _run(target: str, decision: Decision, word: str) -> tuple[str, str, tuple[Rule, ...]]:
    tests = p.TESTS.match(target)
    if tests is not None and not target[tests.end() :].strip():
        whole = p.ALL_TESTS.fullmatch(target)
        rules = command_rules(TEST_RUNNERS, decision if whole else "ask")
        return "run", f"{word} run {tests[0].strip()}", tuple(rules)
    named = p.NAMED_COMMAND.match(target.strip())
    if named is not None and (named["c"].split()[0] in p.PROGRAMS or "/" in named["c"] or target.startswith("`")):
        return "run", f"{word} run {named['c']}", tuple(command_rules([named["c"]], decision))
    return "run", "", ()
