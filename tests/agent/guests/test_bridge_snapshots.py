"""What agents of others are told of our tools, against its files: a change of it is wanted, and looked at."""

import json
from pathlib import Path

import pytest

from tests.agent.guests.bridge_snapshots import snapshots

FOLDER = Path(__file__).parents[2] / "snapshots" / "bridge"
OWN = {"bash", "edit_file", "read_file", "write_file", "delete_file", "move_file", "grep", "glob", "todo_write"}


def test_they_are_told_what_the_files_hold() -> None:
    assert {path.name: path.read_text("utf-8") for path in FOLDER.iterdir()} == snapshots()


@pytest.mark.promise("guests-A55")
def test_they_are_never_offered_files_commands_or_todos() -> None:
    names = {mode: {tool["name"] for tool in json.loads(text)} for mode, text in snapshots().items()}
    assert not names["full-auto.json"] & OWN
    assert names["plan.json"] < names["edit.json"] == names["full-auto.json"]
    assert {"ask_user", "commit_changes", "sql_query", "task", "web_fetch"} <= names["edit.json"]
    assert "commit_changes" not in names["plan.json"]
