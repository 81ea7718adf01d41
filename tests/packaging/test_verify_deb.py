"""What the try of a Debian package takes for an upgrade that lost nothing, with a bare Debian that only answers."""

import json
from pathlib import Path

import pytest
import verify_deb


def answering(monkeypatch: pytest.MonkeyPatch, *events: int) -> list[str]:
    """Let each check of the store find so many entries; the commands that were run, in order."""
    ran: list[str] = []
    left = list(events)

    def inside(root: Path, words: str) -> str:
        ran.append(words)
        return json.dumps({"events": left.pop(0), "findings": []}) if "audit verify" in words else ""

    monkeypatch.setattr(verify_deb, "inside", inside)
    return ran


def test_an_upgrade_holds_where_the_chat_is_whole_and_goes_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = answering(monkeypatch, 43, 50)
    verify_deb.go_on(tmp_path, 43)
    assert "--resume last" in ran[1]
    assert capsys.readouterr().out == "upgraded: the chat is whole and goes on to 50 entries\n"


@pytest.mark.parametrize("events", [(42, 50), (0, 7), (43, 43)])
def test_an_upgrade_fails_where_entries_are_gone_or_none_is_added(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, events: tuple[int, int]
) -> None:
    answering(monkeypatch, *events)
    with pytest.raises(verify_deb.Failed):
        verify_deb.go_on(tmp_path, 43)
