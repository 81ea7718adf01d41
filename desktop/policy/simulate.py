"""The effect that rules would have had on the commands of the past (gate-R18, in its simple form)."""

from collections import Counter
from collections.abc import Sequence

from desktop.domain.gate.rules import AskedKind, AskedLately, PastCall, Rule, Simulation
from desktop.policy.rule_check import Judge, cover_together, matches_line
from desktop.policy.shell.words.offer import rule_offer

MAX_EXAMPLES = 20
MAX_KINDS = 3
MANY = 3
"""So many askings of one kind are worth a rule."""
_NO_QUOTES = str.maketrans("", "", "\"'\\")
_ORDER = {"declined": 0, "refused": 1, "cancelled": 2, "approved": 3, "allowed": 4}
_ASKED = ("approved", "declined", "cancelled")


def simulate(rules: Sequence[Rule], calls: Sequence[PastCall], judge: Judge) -> Simulation:
    """The calls among these that the rules would have matched; allow rules count together. All are command rules of one
    decision.

    `newly_allowed`: a person was asked, and would not be. Examples: declined ones first, then the newest. A call
    without its command is counted as unknown, never as a match.
    """
    known = [call for call in calls if call.text]
    found: dict[str, bool] = {}
    matched: list[PastCall] = []
    for call in known:
        if call.text not in found:
            found[call.text] = _matches(rules, call.text, judge)
        if found[call.text]:
            matched.append(call)
    decision = rules[0].decision if rules else "allow"
    newest = sorted(matched, key=lambda call: call.at, reverse=True)
    return Simulation(
        checked=len(known),
        would_match=len(matched),
        newly_allowed=_count(matched, _ASKED) if decision == "allow" else 0,
        newly_asked=_count(matched, ("allowed",)) if decision == "ask" else 0,
        newly_denied=_count(matched, ("allowed", "approved")) if decision == "deny" else 0,
        declined=_count(matched, ("declined",)),
        unknown=len(calls) - len(known),
        examples=tuple(sorted(newest, key=lambda call: _ORDER[call.outcome])[:MAX_EXAMPLES]),
    )


def asked_lately(calls: Sequence[PastCall], judge: Judge) -> AskedLately:
    """Of which kinds the commands are that a person was asked about, and what rules for the commonest would have
    answered."""
    asked = [call for call in calls if call.outcome in _ASKED]
    times: Counter[tuple[tuple[str, ...], ...]] = Counter()
    for text, number in Counter(call.text for call in asked if call.text).items():
        verdict = judge(text)
        if tokens := rule_offer(verdict, [one for one in verdict.simple if not one.proven]).tokens:
            times[tokens] += number
    return AskedLately(
        asked=len(asked),
        kinds=tuple(
            _kind(tokens, number, asked, judge) for tokens, number in times.most_common(MAX_KINDS) if number >= MANY
        ),
    )


def _kind(tokens: tuple[tuple[str, ...], ...], times: int, asked: Sequence[PastCall], judge: Judge) -> AskedKind:
    rules = [Rule(id=str(at), decision="allow", kind="command", tokens=one) for at, one in enumerate(tokens)]
    found = simulate(rules, asked, judge)
    return AskedKind(tokens=tokens, times=times, covered=found.newly_allowed, declined=found.declined)


def _matches(rules: Sequence[Rule], text: str, judge: Judge) -> bool:
    plain = text.translate(_NO_QUOTES)
    named = [rule for rule in rules if all(token.translate(_NO_QUOTES) in plain for token in rule.tokens)]
    if not named:
        return False
    if named[0].decision == "allow":
        return cover_together(named, judge(text))
    return any(matches_line(rule, text, judge) for rule in named)


def _count(calls: Sequence[PastCall], outcomes: Sequence[str]) -> int:
    return sum(call.outcome in outcomes for call in calls)
