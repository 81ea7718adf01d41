"""Which instruction files are found, in which order, and how much of them."""

import hashlib
from pathlib import Path

import pytest

from desktop.services.context.instruction_files import (
    ALL_BYTES,
    CUT,
    FILE_BYTES,
    read_for_guests,
    read_instructions,
    read_lane_commands,
    read_own_commands,
)
from desktop.services.files.lane_files import LaneFiles


@pytest.fixture
def own(tmp_path: Path) -> Path:
    folder = tmp_path / "config"
    folder.mkdir()
    return folder


@pytest.fixture
def lane(tmp_path: Path) -> Path:
    folder = tmp_path / "lane"
    (folder / "web" / "forms").mkdir(parents=True)
    return folder


def paths(own: Path, lane: Path, *folders: str) -> list[str]:
    return [one.path for one in read_instructions(own, LaneFiles(lane), folders)]


def test_the_persons_files_come_first_and_the_nearest_last(own: Path, lane: Path) -> None:
    for folder in (own, lane, lane / "web", lane / "web" / "forms"):
        (folder / "AGENTS.md").write_text(f"in {folder.name}")
    (lane / "CLAUDE.md").write_text("more")
    assert paths(own, lane, "web/forms") == [
        "(your own) AGENTS.md", "AGENTS.md", "CLAUDE.md", "web/AGENTS.md", "web/forms/AGENTS.md",
    ]  # fmt: skip
    assert paths(own, lane) == ["(your own) AGENTS.md", "AGENTS.md", "CLAUDE.md"]


def test_a_file_equal_to_its_neighbour_or_only_naming_it_is_left_out(own: Path, lane: Path) -> None:
    (lane / "AGENTS.md").write_text("Use tabs.\n")
    (lane / "CLAUDE.md").write_text("Use tabs.\n")
    assert paths(own, lane) == ["AGENTS.md"]
    (lane / "CLAUDE.md").write_text("  @AGENTS.md\n")
    assert paths(own, lane) == ["AGENTS.md"]
    (lane / "CLAUDE.md").write_text("@AGENTS.md\nand mind @docs/x.md\n")
    assert read_instructions(own, LaneFiles(lane), ())[1].text == "and mind @docs/x.md"


@pytest.mark.promise("sessions-SP6")
def test_a_long_file_is_cut_at_a_line_with_a_mark(own: Path, lane: Path) -> None:
    content = "".join(f"Rule {n} of many.\n" for n in range(6_000))
    (lane / "AGENTS.md").write_text(content)
    (found,) = read_instructions(own, LaneFiles(lane), ())
    assert found.cut
    assert found.size == len(content) > 100_000
    assert found.sha256 == hashlib.sha256(content.encode()).hexdigest()
    assert len(found.text) <= FILE_BYTES
    kept = found.text.splitlines()
    assert kept[-1] == CUT
    assert kept[:-1] == content.splitlines()[: len(kept) - 1]


def test_all_files_together_have_a_limit_and_the_nearest_are_kept(own: Path, lane: Path) -> None:
    for folder in (own, lane, lane / "web", lane / "web" / "forms"):
        (folder / "AGENTS.md").write_text(f"{folder.name}\n" + "line of text\n" * 2_300)
    found = read_instructions(own, LaneFiles(lane), ("web/forms",))
    assert sum(len(one.text) for one in found) <= ALL_BYTES
    assert [one.path for one in found] == ["AGENTS.md", "web/AGENTS.md", "web/forms/AGENTS.md"]
    assert [one.cut for one in found] == [True, False, False]


@pytest.mark.promise("sessions-SP6")
def test_no_link_leads_out_of_the_lane(own: Path, lane: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("outside")
    (lane / "AGENTS.md").symlink_to(tmp_path / "secret.md")
    (lane / "web" / "real.md").write_text("inside")
    (lane / "web" / "AGENTS.md").symlink_to("real.md")
    (lane / "out").symlink_to(tmp_path)
    assert paths(own, lane, "web", "out", "../config", str(tmp_path)) == ["web/AGENTS.md"]


def test_without_a_lane_only_the_persons_files_are_read(own: Path) -> None:
    (own / "CLAUDE.md").write_text("Answer in English.")
    assert [one.path for one in read_instructions(own, None, ("web",))] == ["(your own) CLAUDE.md"]


@pytest.mark.promise("guests-A53")
def test_what_an_agent_of_others_reads_itself_is_found_at_the_top(lane: Path, tmp_path: Path) -> None:
    (lane / "CLAUDE.md").write_text("Be brief.")
    (lane / "GEMINI.md").write_text("Be brief.")
    (tmp_path / "AGENTS.md").write_text("no")
    (lane / "AGENTS.md").symlink_to(tmp_path / "AGENTS.md")
    assert [one.path for one in read_for_guests(LaneFiles(lane))] == ["CLAUDE.md", "GEMINI.md"]


def test_folders_and_odd_bytes_do_no_harm(own: Path, lane: Path) -> None:
    (lane / "AGENTS.md").mkdir()
    (lane / "CLAUDE.md").write_bytes(b"\xff\xfe caf\xe9")
    (own / "AGENTS.md").mkdir()
    (found,) = read_instructions(own, LaneFiles(lane), ())
    assert "caf" in found.text


def test_commands_are_the_markdown_files_of_their_folders(own: Path, lane: Path, tmp_path: Path) -> None:
    assert read_own_commands(own) == {}
    assert read_lane_commands(LaneFiles(lane)) == {}
    (own / "commands").mkdir()
    (own / "commands" / "review.md").write_text("Review it.")
    (own / "commands" / "notes.txt").write_text("no")
    (lane / ".banksman" / "commands").mkdir(parents=True)
    (lane / ".banksman" / "commands" / "ship.md").write_text("Ship it.")
    (tmp_path / "evil.md").write_text("outside")
    (lane / ".banksman" / "commands" / "evil.md").symlink_to(tmp_path / "evil.md")
    assert read_own_commands(own) == {"review": b"Review it."}
    assert read_lane_commands(LaneFiles(lane)) == {"ship": b"Ship it."}
