from datetime import UTC, datetime, timedelta

import pytest

from desktop.domain.credentials.names import header_problem, name_problem
from desktop.domain.credentials.values import Credential, expiry, id_in, value_problem, why_ended

NOW = datetime(2026, 11, 24, 10, tzinfo=UTC)


@pytest.mark.parametrize("name", ["GITHUB_TOKEN", "API_KEY", "npm_config__auth", "NODE_AUTH_TOKEN", "_X1", "A" * 64])
def test_a_variable_that_holds_a_key_may_be_set(name: str) -> None:
    assert name_problem(name) == ""


@pytest.mark.promise("memory-CR5")
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Authorization", ""), ("X-Api-Key", ""), ("PRIVATE-TOKEN", ""),
        *((name, "never sent as") for name in ("Host", "content-length", "Cookie", "Proxy-Authorization", "Via")),
        *((name, "no name of a header") for name in ("", "X Y", "X:", "X\r\nY", "1x", "X" * 65, "Ä")),
    ],
)  # fmt: skip
def test_a_header_may_hold_a_secret_unless_it_says_where_a_request_goes(name: str, words: str) -> None:
    problem = header_problem(name)
    assert words in problem
    assert bool(words) == bool(problem)


@pytest.mark.promise("memory-CR4")
@pytest.mark.parametrize(
    "name",
    [
        *(
            "LD_PRELOAD",
            "ld_preload",
            "DYLD_INSERT_LIBRARIES",
            "BASH_ENV",
            "ENV",
            "PROMPT_COMMAND",
            "PS4",
            "PYTHONPATH",
        ),
        *("PYTHONSTARTUP", "NODE_OPTIONS", "NODE_PATH", "PERL5OPT", "RUBYOPT", "RUBYLIB", "GIT_SSH_COMMAND", "PAGER"),
        *("GH_PAGER", "EDITOR", "VISUAL", "LESSOPEN", "SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS", "DISPLAY"),
        *("WAYLAND_DISPLAY", "PATH", "CDPATH", "CLASSPATH", "HOME", "IFS", "TMPDIR", "BANKSMAN_LANE", "https_proxy"),
        *("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "LC_ALL", "SHELL"),
    ],
)
def test_a_variable_that_changes_what_runs_is_never_set(name: str) -> None:
    assert name_problem(name).startswith(f"A secret is never given as {name}: ")


@pytest.mark.parametrize("name", ["", "1A", "A B", "A=B", "A\n", "Ä", "A" * 65, "BASH_FUNC_x%%"])
def test_what_is_no_name_is_refused(name: str) -> None:
    assert "is no name of a variable" in name_problem(name)


def test_a_handle_names_an_id_and_nothing_else_does() -> None:
    assert id_in("secret:sec_0123456789ab") == "sec_0123456789ab"
    for other in ("sec_0123456789ab", "secret:sec_0123456789AB", "secret:sec_0123456789abc", "secret:", "x"):
        assert id_in(other) == ""


def test_a_record_says_its_handle_and_how_people_know_it() -> None:
    record = Credential(id="sec_0123456789ab", provider="Shop", label="Deploy", made_at=NOW)
    assert (record.handle, record.title) == ("secret:sec_0123456789ab", "Deploy (Shop)")
    assert record.model_copy(update={"label": ""}).title == "Shop"


@pytest.mark.promise("memory-CR7")
def test_a_secret_ends_when_its_time_has_passed_or_somebody_ended_it() -> None:
    assert expiry("day", NOW) == NOW + timedelta(days=1)
    assert expiry("month", NOW) == NOW + timedelta(days=30)
    assert expiry("closed", NOW) is expiry("removed", NOW) is None
    record = Credential(id="sec_0123456789ab", provider="Shop", made_at=NOW, expires_at=NOW)
    assert why_ended(record, NOW - timedelta(seconds=1)) == ""
    assert why_ended(record, NOW) == "expired"
    assert why_ended(record.model_copy(update={"ended": "removed"}), NOW) == "removed"
    assert why_ended(record.model_copy(update={"expires_at": None}), NOW) == ""


def test_a_value_that_could_not_be_taken_out_of_texts_is_not_kept() -> None:
    assert value_problem("12345678") == ""
    assert value_problem("two\nlines here") == ""
    assert "at least 8" in value_problem("  1234567  ")
    assert "at most 32,768" in value_problem("x" * 32_769)
    assert "NUL" in value_problem("12345678\0")
