"""How many tests passed is read from what their runner printed."""

import pytest

from desktop.domain.reports.suite_totals import SuiteTotals, suite_totals


@pytest.mark.parametrize(
    ("output", "passed", "failed", "skipped"),
    [
        ("..F\n==== 1 failed, 11 passed, 2 skipped in 0.31s ====\n", 11, 1, 2),
        ("\x1b[32m12 passed\x1b[0m in 1s", 12, None, None),
        ("collected 3 items\n2 errors in 0.1s", None, 2, None),
        ("Ran 12 tests in 0.1s\n\nFAILED (failures=1, errors=1, skipped=3)", 7, 2, 3),
        ("Ran 1 test in 0.1s\n\nOK", 1, 0, 0),
        ("  12 passing (3ms)\n  2 pending\n  1 failing", 12, 1, 2),
        ("Tests:       1 failed, 11 passed, 12 total\nSnapshots: 0 total", 11, 1, None),
        ("test result: ok. 12 passed; 0 failed; 1 ignored\n\ntest result: ok. 3 passed; 0 failed; 0 ignored", 15, 0, 1),
        ('<testsuites tests="5" failures="1" skipped="1"><testsuite tests="5">', 3, 1, 1),
        ('<testsuite name="x">\n4 passed', 4, None, None),
        ("v1.12 passed on", None, None, None),
        ("nothing to see", None, None, None),
    ],
)
def test_totals(output: str, passed: int | None, failed: int | None, skipped: int | None) -> None:
    assert suite_totals(output) == SuiteTotals(passed=passed, failed=failed, skipped=skipped)
