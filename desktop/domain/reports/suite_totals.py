"""The totals of the tests that a command ran: how many passed, failed and were skipped (lanes-E6)."""

import re

from desktop.domain.core.base import Frozen

_LAST = 8_000
"""Characters at the end that are looked at: runners write their totals last."""
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_COUNTED = re.compile(
    r"(?<![\w.])(\d{1,7}) (passed|passing|failed|failing|failures?|errors?|skipped|pending|ignored)\b"
)
_RAN = re.compile(r"^Ran (\d{1,7}) tests? in ", re.MULTILINE)
_UNITTEST = re.compile(r"\b(failures|errors|skipped)=(\d{1,7})")
_JUNIT = re.compile(r"<testsuites?\b[^>]{0,1000}>")
_ATTRIBUTE = re.compile(r'\b(tests|failures|errors|skipped)="(\d{1,7})"')
_PARTIAL_LINE = "test result: "
"""How a runner begins the totals of one of several programs; they are added up."""
_KIND = {
    "passed": "passed",
    "passing": "passed",
    "failed": "failed",
    "failing": "failed",
    "failure": "failed",
    "failures": "failed",
    "error": "failed",
    "errors": "failed",
    "skipped": "skipped",
    "pending": "skipped",
    "ignored": "skipped",
}


class SuiteTotals(Frozen):
    """Totals of one run; None for what the output does not say."""

    passed: int | None = None
    failed: int | None = None
    skipped: int | None = None


def suite_totals(output: str) -> SuiteTotals:
    """The totals in an output: `12 passed`, `12 passing`, `Ran 12 tests`, or those of JUnit XML, of which the first,
    outermost suite counts."""
    end = _COLOUR.sub("", output[-_LAST:])
    suite = _JUNIT.search(output)
    ran = _RAN.search(end)
    counted = dict(_ATTRIBUTE.findall(suite.group())) if suite is not None else {}
    if "tests" not in counted and ran is not None:
        counted = {"tests": ran.group(1), **dict(_UNITTEST.findall(end))}
    if "tests" in counted:
        failed, skipped = (
            int(counted.get("failures", 0)) + int(counted.get("errors", 0)),
            int(counted.get("skipped", 0)),
        )
        return SuiteTotals(passed=max(0, int(counted["tests"]) - failed - skipped), failed=failed, skipped=skipped)
    return _in_words(end)


def _in_words(end: str) -> SuiteTotals:
    """Totals as words: those of the last line that tells how many passed, and of the lines below it."""
    partial = [_counts(line) for line in end.splitlines() if line.startswith(_PARTIAL_LINE)]
    figures: dict[str, int] = {}
    if partial:
        figures = {kind: sum(counts.get(kind, 0) for counts in partial) for kind in ("passed", "failed", "skipped")}
    for line in reversed([] if partial else end.splitlines()):
        figures = {**_counts(line), **figures}
        if "passed" in figures:
            break
    return SuiteTotals.model_validate(figures)


def _counts(line: str) -> dict[str, int]:
    counted: dict[str, int] = {}
    for figure, word in _COUNTED.findall(line):
        counted[_KIND[word]] = counted.get(_KIND[word], 0) + int(figure)
    return counted
