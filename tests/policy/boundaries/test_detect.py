"""What a person forbids is found, and nothing else: the cases of both kinds, and what holds of every text."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.domain.boundaries.foreign import is_foreign_no
from desktop.domain.boundaries.values import MOST_READ
from desktop.policy.boundaries import lazy
from desktop.policy.boundaries.detect import detect, liftings
from desktop.policy.boundaries.targets import MOST_GLOBS, globs_of

CASES = json.loads((Path(__file__).parents[2] / "cases" / "boundaries.json").read_text("utf-8"))
WORDS = st.sampled_from(
    [
        *("don't", "never", "push", "commit", "touch", "the", "migrations", "or", "and", ",", ".", "?", "\n", "only"),
        *("src/a.py", "ask", "before", "you", "delete", "stay", "offline", "run", "make", "tests", "`x`", '"', "yet"),
    ]
)


@pytest.mark.promise("memory-SB2")
@pytest.mark.parametrize("case", CASES, ids=[case["text"][:60] for case in CASES])
def test_a_case_is_what_it_says(case: dict) -> None:
    found = detect(case["text"])
    said = [f"{one.action} {one.rules[0].decision if one.rules else 'limit'}" for one in found]
    assert said == [one["said"] for one in case["boundaries"]]
    assert [[rule.text for rule in one.rules][:3] for one in found] == [one["rules"] for one in case["boundaries"]]
    assert lazy.detect(case["text"]) == found, "the search for single words before the patterns leaves none out"


def test_there_are_cases_of_both_kinds() -> None:
    hits = [case for case in CASES if case["boundaries"]]
    assert len(CASES) >= 120
    assert min(len(hits), len(CASES) - len(hits)) >= 40


@given(st.lists(WORDS, max_size=30).map(" ".join))
def test_the_words_of_each_boundary_stand_in_the_text_and_its_rules_only_tighten(text: str) -> None:
    for one in detect(text):
        start, end = one.span
        assert 0 <= start < end <= len(text)
        assert one.quote
        assert bool(one.rules) is not bool(one.limit_microusd)
        assert {rule.decision for rule in one.rules} <= {"ask", "deny"}
        assert {(rule.quote, rule.created_by) for rule in one.rules} <= {(one.quote, "chip")}


@given(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    detect(text)
    liftings(text)


def test_a_long_message_is_read_to_its_limit() -> None:
    assert detect(f"{'word ' * (MOST_READ // 5 - 10)}\nNever push.") != ()
    assert detect(f"{'word ' * (MOST_READ // 5)}\nNever push.") == ()


@pytest.mark.parametrize(
    ("text", "actions"),
    [
        ("You can push now.", ["push"]),
        ("you may commit", ["commit"]),
        ("Go ahead and open the pull request", ["pull_request"]),
        ("it's fine to install packages", ["install"]),
        ("You can push now?", []),
        ("You can see the bug there.", []),
        ("I can push", []),
    ],
)
def test_words_that_would_lift_are_found(text: str, actions: list[str]) -> None:
    assert [one.action for one in liftings(text)] == actions
    assert lazy.liftings(text) == liftings(text)


@pytest.mark.parametrize(
    ("target", "names", "globs"),
    [
        ("the customer data", ("app/customer_data/a.csv",), ("**/customer_data/**", "**/customer-data/**")),
        ("the billing", ("src/billing.py",), ("**/billing.*",)),
        ("the billing", ("src/other.py",), ()),
        ("it", (), ()),
        ("the way that the login page works", (), ()),
        ("the generated code", (), ("**/generated/**",)),
        ("src/a.py, lib/", (), ("src/a.py", "lib/**")),
        ("./deploy", (), ("deploy/**", "deploy")),
        ("docs/*.md", (), ("docs/*.md",)),
        ("*.lock", (), ("**/*.lock",)),
        ("..", (), ()),
    ],
)
def test_which_files_are_meant(target: str, names: tuple[str, ...], globs: tuple[str, ...]) -> None:
    assert globs_of(target, names)[: len(globs) or None] == globs


def test_no_more_files_are_named_than_a_person_reads() -> None:
    assert len(globs_of(" ".join(f"src/f{n}.py" for n in range(40)))) == MOST_GLOBS


@pytest.mark.promise("memory-SB2")
@pytest.mark.parametrize(
    "text", ["Don't edit anything outside src/", "Don't touch any files except src/", "Only edit src/"]
)
def test_words_that_leave_one_place_forbid_the_others_and_not_that_place(text: str) -> None:
    (one,) = detect(text)
    assert (one.title, [(rule.glob, rule.outside) for rule in one.rules]) == ("Only change src/**", [("src/**", True)])


@pytest.mark.parametrize(
    ("text", "limit"),
    [("Spend at most 2 dollars", 2_000_000), ("never spend more than 50 cents", 500_000), ("at most $2.50", 2_500_000)],
)
def test_a_limit_of_cost_is_told_in_microdollars(text: str, limit: int) -> None:
    (one,) = detect(text)
    assert (one.limit_microusd, one.rules) == (limit, ())


def test_names_of_the_lane_say_which_files_are_meant() -> None:
    names = ("src/config.py", "deploy/config/live.yml", "app.config.js", "billing/a.py")
    (config,) = detect("Please don't touch the config.", names)
    assert [rule.text for rule in config.rules] == ["**/config/**", "**/config.*"]
    (unknown,) = detect("Please don't touch the config.")
    assert unknown.title.endswith(" (matches nothing now)")
    (billing,) = detect("leave the billing alone", names)
    assert [rule.text for rule in billing.rules] == ["**/billing/**"]
    (weather,) = detect("leave the weather alone", names)
    assert weather.title == "Don’t change **/weather/**, **/weather.* (matches nothing now)"
    assert [rule.glob for rule in weather.rules] == ["**/weather/**", "**/weather.*"]
    (two,) = detect("hands off the price lists", names)
    assert [rule.glob for rule in two.rules][:3] == ["**/price_lists/**", "**/price-lists/**", "**/pricelists/**"]


@pytest.mark.parametrize(
    "text",
    ["don't change the subject", "don't touch that", "never change the API", "don't modify the behaviour of it",
     "leave the rest alone", "don't touch my heart", "don't read the invoices", "don't write the long answer now"],
)  # fmt: skip
def test_words_that_name_no_files_forbid_nothing(text: str) -> None:
    assert detect(text) == ()


@pytest.mark.parametrize(
    ("text", "foreign"),
    [
        ("Bitte niemals pushen.", True),
        ("Finger weg von config.py", True),
        ("ne touche pas aux migrations", True),
        ("не трогай миграции, это запрещено", True),
        ("请不要推送", True),
        ("Mend the login", False),
        ("The word nicht is in the list of words that you read to me", False),
        ("", False),
    ],
)
def test_words_of_another_language_that_forbid_are_noticed(text: str, foreign: bool) -> None:
    assert is_foreign_no(text) is foreign
