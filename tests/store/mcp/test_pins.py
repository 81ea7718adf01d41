from pathlib import Path

import pytest

from desktop.domain.core.errors import StoreWriteFailed
from desktop.domain.mcp.values import McpPin, McpPinnedTool, McpTool
from desktop.store.mcp.pins import PinStore, RefusalStore

TOOL = McpTool(name="read", input_schema={"type": "object"})
PIN = McpPin(
    server="files",
    sha256="a" * 64,
    basis={"command": ["server"]},
    tools=(McpPinnedTool(tool=TOOL, sha256=TOOL.sha256, policy="never", treat_as_read=True),),
    person="ann",
    day="2026-11-23",
)


def test_a_pin_is_there_in_the_next_process_and_of_its_project_alone(tmp_path: Path) -> None:
    store = PinStore(tmp_path / "mcp")
    assert store.get("", "files") is None
    store.put("", PIN)
    store.put("prj_1", PIN.model_copy(update={"person": "bob"}))
    again = PinStore(tmp_path / "mcp")
    assert again.get("", "files") == PIN
    assert again.get("prj_1", "files").person == "bob"
    assert again.get("prj_2", "files") is None
    assert (tmp_path / "mcp" / "pins.json").stat().st_mode & 0o077 == 0


def test_a_pin_that_is_forgotten_is_gone(tmp_path: Path) -> None:
    store = PinStore(tmp_path)
    store.put("", PIN)
    store.forget("", "other")
    store.forget("", "files")
    assert PinStore(tmp_path).get("", "files") is None


def test_of_a_file_that_cannot_be_read_nothing_is_accepted_and_it_is_kept(tmp_path: Path) -> None:
    (tmp_path / "pins.json").write_text('{"": {"files": {"server": 3}}}')
    assert PinStore(tmp_path).get("", "files") is None
    assert (tmp_path / "pins.unreadable.json").exists()


def test_what_cannot_be_kept_is_not_accepted(tmp_path: Path) -> None:
    (tmp_path / "mcp").write_text("a file in its place")
    store = PinStore(tmp_path / "mcp")
    with pytest.raises(StoreWriteFailed, match="It was not accepted"):
        store.put("", PIN)
    assert store.get("", "files") is None


def test_a_no_is_there_in_the_next_process_and_of_its_project_alone(tmp_path: Path) -> None:
    store = RefusalStore(tmp_path / "mcp")
    store.put("prj_1", "files", frozenset({"a" * 64}))
    again = RefusalStore(tmp_path / "mcp")
    assert again.get("prj_1", "files") == {"a" * 64}
    assert again.get("", "files") is None
    again.forget("prj_1", "files")
    assert RefusalStore(tmp_path / "mcp").get("prj_1", "files") is None
