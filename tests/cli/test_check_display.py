"""`banksman check display`: the sample cases, and lines that cannot be judged."""

import json
from pathlib import Path

import pytest

from desktop.cli.check import KINDS, judge_of
from desktop.cli.check_display import check_display

FOLDER = Path(__file__).parent.parent / "cases"
CASES = [
    case
    for name in ("spoof_cases.json", "spoof_cases_2.json")
    for case in json.loads((FOLDER / name).read_text("utf-8"))
]


@pytest.mark.promise("gate-J5")
@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_a_sample_is_shown_whole_and_marked(case):
    answer = check_display(case)
    assert answer["warn"] == case["warn"]
    for words in case["visible_must_contain"]:
        assert words in answer["shown"]
    for point in case["escape_codepoints"]:
        assert f"⟦{point}⟧" in answer["shown"]
        assert chr(int(point[2:], 16)) not in answer["shown"]


@pytest.mark.parametrize("line", [{}, {"text": 1, "surface": "diff"}, {"text": "a", "surface": "x"}, {"text": "a"}])
def test_a_line_that_lacks_something_is_an_error(line):
    with pytest.raises(ValueError, match="The field"):
        check_display(line)


def test_display_is_a_kind_of_check():
    assert "display" in KINDS
    assert judge_of("display") is check_display
