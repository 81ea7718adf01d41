"""The answer of a hook before a call, and how it tightens what was decided: never the other way (guests-H4)."""

import json
from collections.abc import Mapping
from typing import Literal

from pydantic import JsonValue

from desktop.domain.core.permissions import Decision, RuleHit, Verdict
from desktop.records import dataclass

HOOK = "hook"
DENIES = 2
"""The exit status by which a hook denies without an answer."""
MOST_OUTPUT = 64 * 1024
MOST_REASON = 500
MOST_NOTE = 2_000
MOST_ERRORS = 300
MOST_KEY = 40
_VERDICTS = {"ask": Verdict.ASK, "deny": Verdict.DENY, "failed": Verdict.DENY}
_WITH_REASON_TOLD: Mapping[str, str] = {
    "ask": 'The hook "{hook}" asks: {reason} ({took}).',
    "deny": 'The hook "{hook}" denies this: {reason} ({took}).',
    "failed": 'The hook "{hook}" failed: {reason} ({took}).',
}
_WITHOUT_TOLD: Mapping[str, str] = {
    "ask": 'The hook "{hook}" asks ({took}).',
    "deny": 'The hook "{hook}" denies this ({took}).',
}


@dataclass(frozen=True)
class HookEnd:
    """How one run of a hook ended. `problem`: why it did not end by itself, "" if it did; `output` None: it was longer
    than 64 KiB, or not UTF-8."""

    exit_status: int | None
    output: str | None
    errors: str = ""
    problem: str = ""
    duration_ms: int = 0


@dataclass(frozen=True)
class HookAnswer:
    """What a hook says of a call. `input`: the arguments that it proposes instead."""

    decision: Literal["pass", "ask", "deny", "failed"]
    reason: str = ""
    input: dict[str, JsonValue] | None = None


class _NoAnswer(Exception):
    """The output is not what a hook may print."""


def answer_of(end: HookEnd) -> HookAnswer:
    """The answer of a hook before a call. Whatever is not a plain pass, ask or deny fails, and a failed hook denies."""
    if end.problem:
        return HookAnswer("failed", end.problem)
    if end.exit_status == DENIES:
        return HookAnswer("deny", first_line(end.errors))
    if end.exit_status != 0:
        return HookAnswer("failed", f"it ended with status {end.exit_status}")
    try:
        return _read(end.output)
    except _NoAnswer as wrong:
        return HookAnswer("failed", str(wrong))


def text_of(end: HookEnd, key: Literal["note", "continue"]) -> tuple[str, str]:
    """The one text that a hook after a call or a turn may print, "" for none; and what is wrong with the run."""
    if end.problem or end.exit_status != 0:
        return "", end.problem or f"it ended with status {end.exit_status}"
    try:
        said = _object(end.output)
        if set(said) - {key}:
            raise _NoAnswer(f"it printed more than {key!r}")
        return _text(said, key, MOST_NOTE), ""
    except _NoAnswer as wrong:
        return "", str(wrong)


def first_line(text: str) -> str:
    """The first line of what a hook printed about an error, at most 300 characters."""
    return next((line.strip() for line in text.splitlines() if line.strip()), "")[:MOST_ERRORS]


def hook_hit(hook: str, answer: HookAnswer, duration_ms: int) -> RuleHit | None:
    """What the answer says to the gate, None for a pass. Nothing can lift it."""
    if answer.decision == "pass":
        return None
    reason = answer.reason.strip().rstrip(".")
    form = _WITH_REASON_TOLD if reason or answer.decision == "failed" else _WITHOUT_TOLD
    text = form[answer.decision].format(hook=hook, reason=reason, took=f"{duration_ms:,} ms")
    return RuleHit(rule=HOOK, verdict=_VERDICTS[answer.decision], reason=text)


def tightened(decision: Decision, hits: tuple[RuleHit, ...]) -> Decision:
    """The decision with what hooks said of it: as strict as it was, or stricter. On a tie the earlier rule names it,
    and its reason says what the hooks add."""
    if not hits:
        return decision
    strictest = max(hits, key=lambda hit: hit.verdict)
    every = (*decision.hits, *hits)
    if strictest.verdict > decision.verdict:
        return Decision(verdict=strictest.verdict, rule=strictest.rule, reason=strictest.reason, hits=every)
    if strictest.verdict < decision.verdict:
        return decision.model_copy(update={"hits": every})
    return decision.model_copy(update={"hits": every, "reason": f"{decision.reason} {strictest.reason}"})


def _read(output: str | None) -> HookAnswer:
    if output is not None and not output.strip():
        return HookAnswer("pass")
    said = _object(output)
    if unknown := sorted(set(said) - {"decision", "reason", "input"}):
        raise _NoAnswer(f"it printed {unknown[0][:MOST_KEY]!r}, which no hook may answer")
    reason = _text(said, "reason", MOST_REASON)
    proposed = said.get("input")
    if proposed is not None and not isinstance(proposed, dict):
        raise _NoAnswer("its 'input' is not an object")
    match said.get("decision"):
        case "pass":
            return HookAnswer("pass", reason, proposed)
        case "ask":
            return HookAnswer("ask", reason, proposed)
        case "deny":
            return HookAnswer("deny", reason)
        case "allow":
            raise _NoAnswer("it answered 'allow', and a hook cannot allow")
        case _:
            raise _NoAnswer("its 'decision' is not pass, ask or deny")


def _object(output: str | None) -> dict[str, JsonValue]:
    if output is None:
        raise _NoAnswer("it printed over 64 KiB, or what is not text")
    if not output.strip():
        return {}
    try:
        said = json.loads(output, object_pairs_hook=_once, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise _NoAnswer("it printed what is not one JSON object") from error
    if not isinstance(said, dict):
        raise _NoAnswer("it printed what is not one JSON object")
    return said


def _once(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    said = dict(pairs)
    if len(said) != len(pairs):
        raise ValueError("a key stands there twice")
    return said


def _no_number(name: str) -> JsonValue:
    raise ValueError(f"{name} is no number of JSON")


def _text(said: dict[str, JsonValue], key: str, most: int) -> str:
    text = said.get(key, "")
    if not isinstance(text, str) or len(text) > most:
        raise _NoAnswer(f"its {key!r} is not a text of at most {most:,} characters")
    return text
