"""Rows in words: the head line of a group of calls, "Read 4 files, ran 1 test", and a row as one sentence."""

import re
from collections.abc import Callable

from desktop.domain.core.content import CodeBlock
from desktop.language import number, tr, trn
from desktop.ui.chats.folds.rows import Call, Row, call_sentence, head_line, plain_text
from desktop.ui.text.format import count, duration

_TESTS = re.compile(
    r"(?:^|[\s;&|/])(?:pytest|py\.test|tox|nox|jest|vitest|mocha|rspec|phpunit|ctest|unittest|go test|cargo test"
    r"|cargo nextest|(?:npm|pnpm|yarn|bun)(?: run)? test\S*|make (?:test|check)|gradlew? test|mvn test|dotnet test"
    r"|mix test)(?=$|[\s;&|:.])"
)
_BY_TITLE = (("Read ", "read"), ("Search ", "search"), ("Find files ", "search"), ("List ", "list"))
_TOLD: dict[str, Callable[[int], str]] = {
    "read": lambda n: trn(n, "read {n} file", "read {n} files"),
    "search": lambda n: trn(n, "searched {n} time", "searched {n} times"),
    "list": lambda n: trn(n, "listed {n} folder", "listed {n} folders"),
    "change": lambda n: trn(n, "changed {n} file", "changed {n} files"),
    "query": lambda n: trn(n, "ran {n} SQL statement", "ran {n} SQL statements"),
    "test": lambda n: trn(n, "ran {n} test", "ran {n} tests"),
    "command": lambda n: trn(n, "ran {n} command", "ran {n} commands"),
    "other": lambda n: trn(n, "made {n} other call", "made {n} other calls"),
}
"""By what a call did, in the order in which it is told."""


def group_title(row: Row) -> str:
    """While it runs the newest call, "npm test · call 3"; then "Read 4 files, ran 1 test · 3.1 s · 1 failed"."""
    calls = [call for call in row.calls if call.state != "thought"]
    if row.running and any(call.child is not None for call in calls):
        return _family_title(calls)
    if row.running:
        return tr("{title} · call {n}", title=calls[-1].name, n=number(len(calls)))
    spent = sum(call.duration_ms for call in calls)
    failed = sum(call.state == "error" for call in calls)
    refused = sum(call.state == "refused" for call in calls)
    declined = sum(call.state == "declined" for call in calls)
    children = all(call.child is not None for call in calls)
    parts = [count(len(calls), "sub-agent") if children else _done(calls)]
    parts += [duration(spent)] if spent else []
    parts += [trn(failed, "{n} failed", "{n} failed")] if failed else []
    parts += [trn(refused, "{n} refused", "{n} refused")] if refused else []
    parts += [trn(declined, "{n} declined", "{n} declined")] if declined else []
    return " · ".join(parts)


def accessible_text(row: Row) -> str:
    """The row as one sentence: "Agent, 14:02, Edit auth/middleware.py, +6 −2"."""
    body = plain_text(row) if row.kind != "calls" else "; ".join(call_sentence(call) for call in row.calls)
    if row.is_group:
        body = f"{group_title(row)}: {body}"
    if row.kind == "thinking":
        body = tr("Thinking: {text}", text=body)
    return ", ".join(part for part in (head_line(row), " ".join(body.split())[:2_000]) if part) or row.kind


def _done(calls: list[Call]) -> str:
    """What the calls that ran did, in words; how many there were where none did."""
    found: dict[str, list[Call]] = {}
    for call in calls:
        if call.state in ("ok", "error", "interrupted", "unknown"):
            found.setdefault(_kind(call), []).append(call)
    if found.keys() <= {"other"}:
        return count(len(calls), "call")
    words = ", ".join(words_for(_number(kind, found[kind])) for kind, words_for in _TOLD.items() if kind in found)
    return f"{words[:1].upper()}{words[1:]}"


def _kind(call: Call) -> str:
    if call.evidence and any(isinstance(block, CodeBlock) and block.language == "sql" for block in call.evidence):
        return "query"
    if call.category == "bash":
        return "test" if any(_TESTS.search(text) for text in _commands(call)) else "command"
    if call.category == "write":
        return "change" if call.state != "error" else "other"
    if call.category == "read":
        return next((kind for begins, kind in _BY_TITLE if call.title.startswith(begins)), "other")
    return "other"


def _number(kind: str, calls: list[Call]) -> int:
    """How many of what its word counts: files, each once, else calls."""
    if kind == "change":
        return len({path for call in calls for path in ([file.path for file in call.touched] or [call.title])})
    return len({call.title for call in calls}) if kind in ("read", "list") else len(calls)


def _commands(call: Call) -> list[str]:
    return [block.text for block in call.evidence if isinstance(block, CodeBlock)] or [call.title]


def _family_title(calls: list[Call]) -> str:
    """The head line of a group of sub-agents that work: "20 sub-agents · 4 running · 6 not begun · 10 ended"."""
    shapes = [call.shape for call in calls]
    waiting, running, queued = (shapes.count(shape) for shape in ("waiting", "running", "decided"))
    ended = len(shapes) - waiting - running - queued
    only_children = all(call.child is not None or call.shape == "decided" for call in calls)
    parts = [count(len(calls), "sub-agent") if only_children else count(len(calls), "call")]
    parts += [trn(waiting, "{n} waiting for you", "{n} waiting for you")] if waiting else []
    parts += [trn(running, "{n} running", "{n} running")] if running else []
    parts += [trn(queued, "{n} not begun", "{n} not begun")] if queued else []
    parts += [trn(ended, "{n} ended", "{n} ended")] if ended else []
    return " · ".join(parts)
