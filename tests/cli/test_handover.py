"""`banksman handover`: the page of a real store, in its forms, without secrets."""

import json
from pathlib import Path

import pytest

from desktop.cli import handover
from desktop.domain.core.ids import new_session_id
from desktop.domain.events import SessionStarted, TitleChanged, UserMessage
from desktop.domain.handover.values import MOST_LINES
from desktop.store.database import open_store

KEY = "sk-ant-api03-" + "Ab3dE5gH7jK9" * 7


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BANKSMAN_HOME", str(tmp_path / "home"))
    store = open_store(tmp_path / "home" / "data" / "store")
    for project in ("one", "two"):
        said = UserMessage(parts=({"type": "text", "text": f"Fix {project} {KEY} <b>\x1b[2J"},))
        store.events.append_many(
            new_session_id(), [SessionStarted(project_id=project), TitleChanged(title=f"Chat *{project}*"), said]
        )
    store.close()
    return tmp_path


def test_the_page_names_what_was_asked_without_secrets(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert handover.main([]) == 0
    page = capsys.readouterr().out
    assert page.startswith("# Handover, ")
    assert "Fix one" in page
    assert "Fix two" in page
    assert r"Chat \*one\*" in page
    assert "Difference to the record: 0" in page
    assert KEY not in page
    assert "<b>" not in page
    assert "\x1b" not in page


def test_a_long_section_says_how_many_are_not_listed(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = open_store(home / "home" / "data" / "store")
    said = [UserMessage(parts=({"type": "text", "text": f"message {n}"},)) for n in range(MOST_LINES)]
    store.events.append_many(store.events.session_ids()[0], said)
    store.close()
    assert handover.main([]) == 0
    assert "and 2 more" in capsys.readouterr().out


def test_one_project_as_json_and_as_a_page_without_script(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert handover.main(["--project", "two", "--since", "all", "--format", "json"]) == 0
    page = json.loads(capsys.readouterr().out)
    assert (page["chats"], page["since"], page["difference"]) == (1, None, 0)
    assert KEY not in json.dumps(page)
    assert handover.main(["--format", "html", "--out", str(home / "a.html")]) == 0
    text = (home / "a.html").read_text()
    assert "&lt;b&gt;" in text
    assert "<script" not in text
    for remote in ("http:", "https:", "src=", "url(", "@import", "<link"):
        assert remote not in text
    assert handover.main(["--out", str(home / "a.html")]) == 2


@pytest.mark.parametrize("since", ["30m", "2d", "2020-01-01", "2020-01-01T08:00+02:00"])
def test_a_time_can_be_said_in_many_ways(home: Path, since: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert handover.main(["--since", since]) == 0
    assert "2 chats" in capsys.readouterr().out


def test_what_is_older_is_left_out(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert handover.main(["--since", "2999-01-01"]) == 0
    assert "0 chats" in capsys.readouterr().out


@pytest.mark.parametrize("words", [["--since", "soon"], ["--since", "9999999d"], ["--format", "pdf"]])
def test_wrong_words_are_told(home: Path, words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert handover.main(words) == 2
    assert capsys.readouterr().err
