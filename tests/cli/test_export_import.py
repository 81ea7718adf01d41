"""`banksman export` and `banksman import`: what they write, take in, say and return."""

import json
import subprocess
import sys

import pytest

from desktop.cli import export, import_chats
from desktop.domain.core.ids import new_session_id
from desktop.domain.events import SessionStarted, UserMessage
from desktop.store.database import open_store

KEY = "sk-ant-api03-" + "Ab3dE5gH7jK9" * 7


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("BANKSMAN_HOME", str(tmp_path / "home"))
    return tmp_path / "home" / "data" / "store"


@pytest.fixture
def chat(home):
    session_id = new_session_id()
    store = open_store(home)
    store.events.append_many(
        session_id, [SessionStarted(), UserMessage(parts=({"type": "text", "text": f"hi {KEY}"},))]
    )
    store.close()
    return session_id


@pytest.mark.parametrize(
    ("name", "start"), [("a.html", "<!DOCTYPE html>"), ("a.md", "# "), ("a.jsonl", '{"type":"banksman.header"')]
)
def test_ending_of_the_file_says_the_form(chat, tmp_path, capsys, name, start):
    assert export.main([chat, str(tmp_path / name)]) == 0
    text = (tmp_path / name).read_text()
    assert text.startswith(start)
    assert KEY not in text
    assert "Secrets" in capsys.readouterr().out


def test_words_may_stand_in_any_order(chat, tmp_path):
    assert export.main([chat, "--full", str(tmp_path / "a"), "--format", "markdown"]) == 0
    assert KEY in (tmp_path / "a").read_text()


def test_open_store_is_no_obstacle_to_an_export_but_to_an_import(chat, home, tmp_path, capsys):
    store = open_store(home)
    try:
        assert export.main(["--all", "--full", str(tmp_path / "a.jsonl")]) == 0
        assert import_chats.main([str(tmp_path / "a.jsonl")]) == 2
        assert "already running" in capsys.readouterr().err
    finally:
        store.close()


def test_full_copy_comes_in_once_more(chat, home, tmp_path, capsys):
    assert export.main([chat, "--full", str(tmp_path / "a.jsonl")]) == 0
    assert import_chats.main([str(tmp_path / "a.jsonl"), "--project", "p"]) == 0
    assert "Its record is whole." in capsys.readouterr().out
    store = open_store(home)
    assert len(store.events.rows("p")) == 1
    assert len(store.events.rows()) == 2
    store.close()


def test_changed_copy_needs_a_word(chat, home, tmp_path):
    assert export.main([chat, "--full", str(tmp_path / "a.jsonl")]) == 0
    (tmp_path / "b.jsonl").write_text((tmp_path / "a.jsonl").read_text().replace("hi ", "ho "))
    assert import_chats.main([str(tmp_path / "b.jsonl")]) == 1
    assert import_chats.main([str(tmp_path / "b.jsonl"), "--accept-changed"]) == 0


def test_what_is_wrong_is_said_with_status_2(chat, home, tmp_path, capsys):
    lines = [json.dumps({"seq": seq, "type": "message.user", "content": "x"}) for seq in range(60)]
    (tmp_path / "log").write_text("\n".join([*lines[:56], "{", *lines[57:]]))
    assert import_chats.main([str(tmp_path / "log")]) == 2
    assert "Line 57" in capsys.readouterr().err
    for words in (
        [],
        ["--all"],
        [chat, "--all", "x"],
        ["only-one"],
        ["zz", str(tmp_path / "a")],
        [chat, "/no/where/a"],
    ):
        assert export.main(words) == 2
    assert export.main(["--help"]) == import_chats.main(["--help"]) == 0
    assert import_chats.main([]) == 2


def test_both_are_commands_of_the_program(home, tmp_path):
    (tmp_path / "log").write_text(json.dumps([{"seq": 0, "type": "message.user", "content": "x"}]))
    for words in (["import", str(tmp_path / "log")], ["export", "main", str(tmp_path / "a.md")]):
        done = subprocess.run([sys.executable, "-m", "desktop", *words], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    assert "> x" in (tmp_path / "a.md").read_text()
