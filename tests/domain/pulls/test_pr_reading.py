"""What a comment says by its form: source, severity, headline, fingerprint, noise and words of done."""

import pytest

from desktop.domain.pulls.pull_request import Author
from desktop.domain.rounds.reading import (
    HEADLINE_CHARS,
    acknowledges,
    fingerprint_of,
    headline_of,
    is_noise,
    severity_of,
    source_of,
)

ROBIN = Author(login="robin")
BOT = Author(login="coderabbitai[bot]", bot=True)


@pytest.mark.parametrize(
    ("login", "bot", "source"),
    [
        ("coderabbitai[bot]", True, "coderabbit"), ("CodeRabbitAI", False, "coderabbit"), ("codex", False, "codex"),
        ("chatgpt-codex-connector[bot]", True, "codex"), ("Copilot", False, "copilot"),
        ("github-copilot[bot]", False, "copilot"), ("greptile-review[bot]", True, "greptile"),
        ("seer-code-review[bot]", True, "seer"), ("my-linter[bot]", False, "my-linter"),
        ("renovate", True, "renovate"), ("robin", False, "human"), ("", False, "unknown"), ("[bot]", True, "unknown"),
    ],
)  # fmt: skip
def test_the_source_is_one_word_for_who_found_it(login: str, bot: bool, source: str) -> None:
    assert source_of(Author(login=login, bot=bot)) == source


@pytest.mark.parametrize(
    ("body", "severity"),
    [
        ("P1: the token is logged", "critical"), ("**Critical** the loop never ends", "critical"),
        ("[bug] off by one", "critical"), ("A list item [error] here", "critical"), ("\U0001f534 broken", "critical"),
        ("![P1 Badge](https://img.example/p1) **Validate the path**", "critical"),
        ("P2 - rename", "major"), ("> major: rename", "major"), ("\U0001f7e0 slow", "major"),
        ("⚠️ Potential issue", "major"), ("[warning] slow", "major"), ("Severity: major", "major"),
        ("_⚠️ Potential issue_ | _\U0001f534 Critical_\n\n**Do it**", "critical"),
        ("[nit] a space", "minor"), ("P3 later", "minor"), ("\U0001f7e1 style", "minor"), ("Minor: style", "minor"),
        ("not critical", "none"), ("This is not a [bug], only odd", "none"), ("non-critical: spelling", "none"),
        ("Severity: not critical", "none"), ("no [error] here", "none"), ("Fix the critical path", "none"),
        ("majority vote\nP1 in the second line", "none"), ("", "none"),
        ("[critical section](https://x.example)", "none"),
    ],
)  # fmt: skip
def test_the_severity_is_told_at_the_start_or_in_a_tag(body: str, severity: str) -> None:
    assert severity_of(body) == severity


@pytest.mark.parametrize(
    ("body", "headline"),
    [
        ("_⚠️ Potential issue_ | _\U0001f7e0 Major_\n\n**Close the file `x.py`.**\n\nBecause", "Close the file x.py."),
        ("**P1:** **Validate the path**", "Validate the path"),
        ("<!-- id -->\n### A *real* [problem](https://x.example) here\nmore", "A real problem here"),
        ("```python\n**kwargs**\n```\nThe call is wrong", "The call is wrong"),
        ("![P2 Badge](https://x.example/a.svg)  Keep the order", "Keep the order"),
        ("[nit] snake_case_name is fine", "snake_case_name is fine"),
        (f"**{'long ' * 40}**\nShort", f"{'long ' * 40}"[:117] + "..."),
        ("x" * 200, "x" * 117 + "..."),
        ("- [ ] do it", "[ ] do it"),
    ],
)  # fmt: skip
def test_the_headline_is_the_first_bold_text_or_the_first_line(body: str, headline: str) -> None:
    assert headline_of(body) == headline
    assert len(headline_of(body)) <= HEADLINE_CHARS


def test_without_words_the_headline_says_where_or_by_whom() -> None:
    assert headline_of("...", "a.py", "robin") == "Comment on a.py"
    assert headline_of("", "", "robin") == "Comment by robin"
    assert headline_of("") == "Comment by somebody"
    assert len(headline_of("", "d/" * 100)) == HEADLINE_CHARS


def test_the_fingerprint_ignores_numbers_code_and_case() -> None:
    def mark(body: str, path: str = "a.py") -> str:
        return fingerprint_of("thread", "codex", path, body, headline_of(body, path))

    assert mark("**Close `handle` at line 12**") == mark("**close `other` at line 900**")
    assert mark("**Close it**") != mark("**Close it**", "b.py")
    assert mark("`x`") != mark("`y`")
    assert fingerprint_of("check", "check", "", "a", "a") != fingerprint_of("thread", "check", "", "a", "a")


@pytest.mark.promise("lanes-P20")
@pytest.mark.parametrize(
    ("author", "body", "noise"),
    [
        (ROBIN, "", True), (ROBIN, "  <!-- hidden -->\n", True), (Author(login="vercel[bot]", bot=True), "Ready", True),
        (Author(login="render"), "Please rename this", False),
        (BOT, "<!-- This is an auto-generated comment: summarize -->\n## Walkthrough\nA lot", True),
        (BOT, "## Walkthrough\nA lot", True), (BOT, "<!-- internal state start -->\nx", True),
        (ROBIN, "<!-- banksman:proofs -->\n| a |", True), (ROBIN, "Thanks for the change!", True),
        (ROBIN, "@coderabbitai review", True), (ROBIN, "@codex full review", True), (ROBIN, "/review", True),
        (ROBIN, "@codex is wrong here: the path is never empty, so drop the branch and the test.", False),
        (ROBIN, "@robin please look", False),
        (BOT, "**Close the file**\n\n<!-- This is an auto-generated comment by CodeRabbit -->", False),
        (ROBIN, "The summary in the docs is wrong", False),
    ],
)  # fmt: skip
def test_noise_is_what_nobody_could_fix(author: Author, body: str, noise: bool) -> None:
    assert is_noise(author, body) is noise


@pytest.mark.parametrize(
    "body",
    ["Fixed", "done.", "Addressed in abc1234", "fixed in #42", "Fixed in the latest commit", "Should be fixed now!",
     "No longer an issue", "Handled, thanks", "@robin resolved \U0001f44d", "Fixed in `abc1234`",
     "Fixed in commit 0123456789abcdef0123456789abcdef01234567"],
)  # fmt: skip
def test_a_person_says_with_these_words_that_it_is_done(body: str) -> None:
    assert acknowledges(ROBIN, body)
    assert acknowledges(Author(), body)
    assert not acknowledges(BOT, body)


@pytest.mark.promise("lanes-P19")
@pytest.mark.parametrize(
    "body",
    ["not fixed yet", "This isn’t resolved", "will be fixed", "fixed in a follow-up", "still not done", "",
     "fixed in abc", "The tests are fixed and then break", "fixed in abc1234 but the test is red", "done?no"],
)  # fmt: skip
def test_a_negation_a_deferral_or_more_words_do_not_count(body: str) -> None:
    assert not acknowledges(ROBIN, body)


def test_odd_texts_are_read_in_no_time_and_never_fail() -> None:
    for odd in ("**a " * 20_000, "<!--" * 20_000, "[" * 50_000, "`" * 50_000, "<a" * 20_000, "\ud800**x**\ud800"):
        headline, severity = headline_of(odd, "p", "a"), severity_of(odd)
        assert len(headline) <= HEADLINE_CHARS
        assert severity == "none"
        assert len(fingerprint_of("thread", "x", "p", odd, headline)) == 64
        is_noise(ROBIN, odd)
        acknowledges(ROBIN, odd)
