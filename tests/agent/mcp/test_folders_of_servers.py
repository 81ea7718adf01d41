"""The folders that a running server may know of: those of its start, as long as they are there."""

import shutil
from pathlib import Path

import pytest

from desktop.agent.mcp.asking.folders import ServerFolders
from desktop.agent.mcp.live import Pace
from desktop.domain.mcp.values import McpServer
from tests.agent.mcp.lives import Lives, call
from tests.mcp_ground import FAKE, until


def local(*read: Path, **changes: object) -> McpServer:
    return McpServer(id="fake", command=("fake",), read=tuple(map(str, read))).model_copy(update=changes)


def test_what_was_there_at_the_start_is_listed_while_it_is_there(tmp_path: Path) -> None:
    lane, notes, later = (tmp_path / name for name in ("lane", "notes", "later"))
    lane.mkdir()
    notes.mkdir()
    folders = ServerFolders(local(notes, later, tmp_path / "no.txt"), lane)
    assert folders.listed() == ()
    folders.begin()
    assert not folders.are_news()
    later.mkdir()
    assert folders.listed() == (lane, notes)
    notes.rename(tmp_path / "elsewhere")
    assert folders.are_news()
    assert not folders.are_news()
    assert folders.listed() == (lane,)
    notes.mkdir()
    assert folders.listed() == (lane,)
    (tmp_path / "elsewhere").rename(tmp_path / "later" / "notes")
    folders.begin()
    assert folders.listed() == (lane, notes, later)


def test_what_was_asked_for_is_no_news(tmp_path: Path) -> None:
    folders = ServerFolders(local(tmp_path / "notes"), tmp_path)
    (tmp_path / "notes").mkdir()
    folders.begin()
    (tmp_path / "notes").rmdir()
    assert folders.listed() == (tmp_path,)
    assert not folders.are_news()


@pytest.mark.parametrize("server", [local(folder="none"), McpServer(id="far", url="https://example.org/mcp")])
def test_one_that_sees_no_folder_has_none_that_could_change(server: McpServer, tmp_path: Path) -> None:
    folders = ServerFolders(server, tmp_path)
    folders.begin()
    assert folders.listed() == ()
    assert not folders.are_news()
    assert not folders.is_replaced()


def test_a_link_that_leads_elsewhere_by_now_is_another_folder(tmp_path: Path) -> None:
    one, two, link = (tmp_path / name for name in ("one", "two", "link"))
    one.mkdir()
    two.mkdir()
    link.symlink_to(one)
    folders = ServerFolders(local(), link)
    folders.begin()
    assert folders.listed() == (one,)
    link.unlink()
    link.symlink_to(two)
    assert folders.is_replaced()
    assert folders.are_news()
    assert folders.listed() == ()


@pytest.mark.promise("guests-M27")
@pytest.mark.asyncio
async def test_a_server_that_rests_hears_of_a_folder_that_went(lives: Lives, tmp_path: Path) -> None:
    notes, calls = tmp_path / "notes", lives.home / "calls"
    notes.mkdir()
    live = lives.live(f"calls={calls}", read=(str(FAKE), str(notes)), pace=Pace(ping_every=0.1))
    assert await call(live, "look", str(notes)) == ""
    notes.rmdir()
    await until(lambda: "folders changed\n" in calls.read_text())
    assert await call(live, "echo", "on") == "on"
    assert calls.read_text().count("folders changed") == 1
    assert lives.starts == 1


@pytest.mark.promise("guests-M27")
@pytest.mark.asyncio
async def test_a_server_whose_folder_was_made_anew_is_started_there_for_its_next_call(lives: Lives) -> None:
    live = lives.live()
    assert await call(live, "look", str(lives.lane)) == "app.py"
    shutil.rmtree(lives.lane)
    lives.lane.mkdir()
    (lives.lane / "new.py").touch()
    assert await call(live, "look", str(lives.lane)) == "new.py"
    assert lives.starts == 2
