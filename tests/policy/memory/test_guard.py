"""How much a prompt asks of the memory."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.domain.memory.values import OwnWords
from desktop.policy.memory.guard import classify_prompt, strictest


@pytest.mark.promise("memory-ME18")
@pytest.mark.parametrize(
    ("text", "attachments", "expected"),
    [
        ("hi", 0, "none"), ("hi", 1, "none"), ("/compact now please", 0, "none"), ("just a test message", 0, "none"),
        ("Just testing!", 0, "none"), ("this is a test message please", 0, "required"),
        ("fixing the parser", 0, "required"), ("deleted the wrong row, restore it", 0, "required"),
        ("walk me through the architecture", 0, "soft"), ("walking through this here", 0, "none"),
        ("walk through this here", 0, "soft"), ("what does this do?", 1, "required"),
        ("explain the error", 0, "required"), ("who are you, in one line", 0, "none"),
        ("see src/app/main.py", 0, "required"), ("see /src/app/main.py!", 0, "required"),
        ("see main.py there", 0, "none"),
        ("here: ```x = 1```", 0, "required"), ("two stack traces of it", 0, "required"),
        ("the pull request", 0, "required"),
        ("the build is planned", 0, "required"), ("it was planned long ago", 0, "soft"),
        ("what are the trade-offs", 0, "soft"),
        ("a migration of it", 0, "required"), ("re-testing of that", 0, "required"), ("contestants of that", 0, "none"),
    ],
)  # fmt: skip
def test_the_first_row_that_fits_says_the_class(text: str, attachments: int, expected: str) -> None:
    assert classify_prompt(text, attachments) == expected


@pytest.mark.promise("memory-ME18")
def test_words_of_a_project_count_beside_those_that_always_do() -> None:
    own = OwnWords(project="/p", changes=("Repariere", "修复"), asks=("warum",))
    assert own.changes == ("repariere", "修复")
    for text, expected in (
        ("Bitte repariere das Formular", "required"), ("请帮我修复这个登录页面的问题好吗", "required"),
        ("Warum ist das so lang hier?", "soft"), ("Warum repariere ich das hier?", "required"),
        ("Was ist das denn hier?", "none"), ("explain it to me", "soft"),
    ):  # fmt: skip
        assert classify_prompt(text, 0, own) == expected
    assert classify_prompt("Bitte repariere das Formular") == "none"


def test_the_strictest_of_all_counts() -> None:
    assert strictest() == "none"
    assert strictest("soft", "none") == "soft"
    assert strictest("soft", "required", "none") == "required"


@given(st.text(max_size=400), st.integers(0, 2))
def test_any_text_has_a_class(text: str, attachments: int) -> None:
    assert classify_prompt(text, attachments) in ("none", "soft", "required")
