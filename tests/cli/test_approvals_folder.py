"""The folder of approvals under attack: what is put there while it is looked at, and what could be somebody else's."""

import asyncio
import json
import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from desktop.cli.headless.folder import PrivateFolder, RefusedFile, StuckFile
from desktop.cli.headless.folder_cards import FolderCards
from desktop.domain.commands import AnswerInput
from desktop.domain.core.command import Command
from desktop.domain.core.content import Card
from desktop.domain.core.errors import StartError
from desktop.domain.core.permissions import Category, PermissionMode
from desktop.domain.events import Envelope, EventBase, InputRequested, InputResolved
from desktop.domain.gate.commands import WithdrawInput
from desktop.domain.gate.events import InputRevised
from desktop.domain.gate.pending import Answer, ApprovalRequest
from desktop.domain.updates import CommandFailed

NOW = datetime(2026, 11, 24, 14, 0, tzinfo=UTC)
OLD, NEW = "ab" * 32, "cd" * 32


def approval(digest: str = OLD) -> ApprovalRequest:
    return ApprovalRequest(
        call_id="c", card=Card(title="touch made.txt"), category=Category.BASH, reason="No rule covers it.",
        rule="no_rule", mode=PermissionMode.EDIT, digest=digest,
    )  # fmt: skip


def envelope(event: EventBase) -> Envelope:
    return Envelope(event_id="e", session_id="ses_1", seq=0, parent_id=None, at=NOW, event=event)


class Desk:
    """Cards in a folder, and what reaches the engine. `during`: what happens while the engine takes an answer."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.sent: list[Command] = []
        self.said: list[str] = []
        self.during: Callable[[], None] = lambda: None
        self.problem = ""
        self.folder = PrivateFolder(path)
        self.cards = FolderCards(self.folder, self._handle, self.said.append, timeout_s=60)

    async def _handle(self, command: Command) -> None:
        self.sent.append(command)
        self.during()
        if self.problem:
            self.cards.take(CommandFailed(command_id=command.command_id, code="input", text=self.problem))

    def open(self, input_id: str = "inp_1", digest: str = OLD) -> None:
        self.cards.take(envelope(InputRequested(input_id=input_id, call_id="c", request=approval(digest))))

    def place(self, name: str = "inp_1.answer.json", **said: object) -> Path:
        """An answer, made by a rename."""
        passing = self.path / "passing"
        passing.write_text(json.dumps({"digest": OLD, "outcome": "allow_once", **said}))
        return passing.rename(self.path / name)

    def error(self, input_id: str = "inp_1") -> str:
        file = self.path / f"{input_id}.error"
        return str(json.loads(file.read_text())["error"]) if file.exists() else ""

    def answers(self) -> list[tuple[str, str]]:
        return [(one.input_id, one.answer.outcome) for one in self.sent if isinstance(one, AnswerInput)]

    async def until(self, is_so: Callable[[], bool]) -> None:
        async with asyncio.timeout(20):
            while not is_so():
                await asyncio.sleep(0.01)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    made = tmp_path / "approvals"
    made.mkdir(mode=0o700)
    return made


@pytest.fixture
def folder(place: Path) -> Iterator[PrivateFolder]:
    opened = PrivateFolder(place)
    yield opened
    opened.close()


# What is taken is what was looked at


def test_what_is_put_in_the_place_of_an_answer_that_was_taken_is_another_one(
    folder: PrivateFolder, place: Path
) -> None:
    (place / "a").write_bytes(b"first")
    taken = folder.take("a")
    assert taken is not None
    assert taken[0] == b"first"
    assert list(place.iterdir()) == [], "nothing is left that could be read twice"
    (place / "a").write_bytes(b"second")
    again = folder.take("a")
    assert again is not None
    assert again[0] == b"second"
    assert folder.take("a") is None


def test_an_answer_that_is_written_on_after_it_was_taken_counts_as_it_was(folder: PrivateFolder, place: Path) -> None:
    with (place / "a").open("wb", buffering=0) as half:
        half.write(b'{"digest": ')
        taken = folder.take("a")
        half.write(b'"x"}')
    assert taken is not None
    assert taken[0] == b'{"digest": '
    assert list(place.iterdir()) == []


@pytest.mark.parametrize("kind", ["link", "dangling", "second name", "folder", "pipe", "socket", "device"])
def test_what_is_no_file_of_its_own_is_refused_and_taken_away(
    folder: PrivateFolder, place: Path, tmp_path: Path, kind: str
) -> None:
    other = tmp_path / "other"
    other.write_text("{}")
    answer = place / "a"
    if kind == "link":
        answer.symlink_to(other)
    elif kind == "dangling":
        answer.symlink_to(tmp_path / "none")
    elif kind == "second name":
        answer.hardlink_to(other)
    elif kind == "folder":
        (answer / "deep").mkdir(parents=True)
    elif kind == "pipe":
        os.mkfifo(answer)
    elif kind == "socket":
        os.mknod(answer, 0o600 | 0o140000)
    elif os.geteuid() == 0:
        os.mknod(answer, 0o600 | 0o020000, os.makedev(1, 5))
    else:
        pytest.skip("only root makes devices")
    with pytest.raises(RefusedFile):
        folder.take("a")
    assert not os.path.lexists(answer)
    assert other.read_text() == "{}", "what a link leads to is left alone"
    assert folder.take("a") is None


def test_nothing_counts_any_more_in_a_folder_that_others_can_use_by_now(folder: PrivateFolder, place: Path) -> None:
    (place / "a").write_text("{}")
    place.chmod(0o770)
    with pytest.raises(RefusedFile, match="Others can use"):
        folder.take("a")
    place.chmod(0o700)
    (place / "a").write_text("{}")
    assert folder.take("a") is not None


def test_a_card_is_written_into_no_file_that_lies_there(folder: PrivateFolder, place: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_text("kept")
    (place / ".card.json.new").symlink_to(other)
    (place / "card.json").symlink_to(other)
    folder.write("card.json", {"a": 1})
    assert other.read_text() == "kept"
    assert json.loads((place / "card.json").read_text()) == {"a": 1}
    os.mkfifo(place / ".card.json.new")
    folder.write("card.json", {"a": 2})
    assert json.loads((place / "card.json").read_text()) == {"a": 2}


def test_what_takes_the_place_of_the_folder_counts_for_nothing(place: Path, tmp_path: Path) -> None:
    (tmp_path / "way").symlink_to(tmp_path)
    folder = PrivateFolder(tmp_path / "way" / "approvals")
    assert folder.real() == place
    (tmp_path / "lane" / "approvals").mkdir(parents=True, mode=0o700)
    (tmp_path / "way").unlink()
    (tmp_path / "way").symlink_to(tmp_path / "lane")
    with pytest.raises(StartError, match="was replaced"):
        folder.real()
    (tmp_path / "way").unlink()
    with pytest.raises(StartError, match="was replaced"):
        folder.real()
    (place / "a").write_text("{}")
    assert folder.take("a") is not None
    folder.close()


# Cards


@pytest.mark.asyncio
@pytest.mark.promise("guests-R4")
async def test_of_two_answers_the_first_that_is_taken_counts_and_the_other_is_told(place: Path) -> None:
    desk = Desk(place)
    desk.during = lambda: desk.place(outcome="reject") and None
    desk.open()
    desk.place()
    await desk.until(lambda: desk.answers() != [] and list(place.iterdir()) == [])
    assert desk.answers() == [("inp_1", "allow_once")]
    assert "An answer came too late and does not count: touch made.txt" in desk.said


@pytest.mark.asyncio
async def test_an_answer_for_another_card_or_for_the_card_before_it_changed_is_refused(place: Path) -> None:
    desk = Desk(place)
    desk.open("inp_1", OLD)
    desk.open("inp_2", NEW)
    desk.place("inp_2.answer.json")
    await desk.until(lambda: desk.error("inp_2") != "")
    assert "digest" in desk.error("inp_2")
    desk.place("inp_1.answer.json")
    revised = InputRevised(input_id="inp_1", request=approval(NEW))
    desk.cards.take(envelope(revised))
    await desk.until(lambda: desk.error("inp_1") != "")
    assert "older than the request" in desk.error("inp_1")
    desk.place("inp_1.answer.json")
    (place / "inp_1.error").unlink()
    await desk.until(lambda: desk.error("inp_1") != "")
    assert "digest" in desk.error("inp_1")
    assert desk.answers() == []
    desk.place("inp_1.answer.json", digest=NEW, outcome="reject")
    desk.place("inp_2.answer.json", digest=NEW)
    await desk.until(lambda: len(desk.answers()) == 2)
    assert sorted(desk.answers()) == [("inp_1", "reject"), ("inp_2", "allow_once")]


@pytest.mark.asyncio
@pytest.mark.promise("guests-R4")
async def test_an_answer_that_comes_before_the_request_is_refused(place: Path) -> None:
    desk = Desk(place)
    early = desk.place()
    os.utime(early, ns=(early.stat().st_mtime_ns - 1_000_000,) * 2)
    desk.open()
    await desk.until(lambda: desk.error() != "")
    assert "older than the request" in desk.error()
    assert desk.answers() == []
    desk.cards.take(envelope(InputResolved(input_id="inp_1", answer=Answer(outcome="cancelled"))))


@pytest.mark.asyncio
async def test_half_an_answer_is_refused_and_the_whole_one_counts(place: Path) -> None:
    desk = Desk(place)
    desk.open()
    whole = json.dumps({"digest": OLD, "outcome": "allow_once"})
    (place / "inp_1.answer.json").write_text(whole[:-3])
    await desk.until(lambda: desk.error() != "")
    assert "cannot be read" in desk.error()
    (place / "inp_1.answer.json").write_text("")
    (place / "inp_1.error").unlink()
    await desk.until(lambda: desk.error() != "")
    assert desk.answers() == []
    desk.place()
    await desk.until(lambda: desk.answers() != [])


@pytest.mark.asyncio
async def test_an_answer_that_the_engine_refuses_leaves_the_card(place: Path) -> None:
    desk = Desk(place)
    desk.open()
    desk.problem = "The word does not fit."
    desk.place()
    await desk.until(lambda: desk.error() != "")
    assert desk.error() == "The word does not fit."
    assert (place / "inp_1.json").exists()
    desk.problem = ""
    desk.place()
    await desk.until(lambda: not (place / "inp_1.json").exists())


@pytest.mark.asyncio
async def test_a_fault_while_looking_is_told_once_and_later_answers_count(place: Path) -> None:
    desk, faults = Desk(place), [ValueError("one"), ValueError("two")]

    def fail() -> None:
        if faults:
            raise faults.pop()

    desk.during = fail
    desk.open()
    for _ in range(2):
        desk.place()
        before = len(desk.sent)
        await desk.until(lambda before=before: len(desk.sent) > before)
    desk.place()
    await desk.until(lambda: len(desk.sent) == 3)
    assert len([one for one in desk.said if "failed once and goes on" in one]) == 1
    assert desk.answers()[-1] == ("inp_1", "allow_once")


@pytest.mark.asyncio
async def test_an_answer_that_cannot_be_taken_is_told_once_and_stays(place: Path) -> None:
    desk = Desk(place)
    long = "i" * 240  # there is no longer name to move its answer to
    desk.open(long)
    desk.open("inp_1")
    desk.place(f"{long}.answer.json")
    with pytest.raises(StuckFile, match="name too long"):
        desk.folder.take(f"{long}.answer.json")
    for _ in range(3):
        (place / "inp_1.error").unlink(missing_ok=True)
        desk.place("inp_1.answer.json", digest=NEW)
        await desk.until(lambda: desk.error("inp_1") != "")
    assert len([one for one in desk.said if "cannot be taken" in one]) == 1
    assert "cannot be taken" in desk.error(long)
    assert desk.answers() == []


@pytest.mark.asyncio
async def test_a_stop_with_an_answer_in_the_folder_says_that_it_does_not_count(place: Path) -> None:
    desk = Desk(place)
    desk.open()
    desk.place()
    desk.cards.take(envelope(InputResolved(input_id="inp_1", answer=Answer(outcome="cancelled"))))
    assert list(place.iterdir()) == []
    assert "An answer came too late and does not count: touch made.txt" in desk.said
    await asyncio.sleep(0)
    assert desk.sent == []


@pytest.mark.asyncio
async def test_a_card_that_cannot_be_written_is_declined(place: Path) -> None:
    desk = Desk(place)
    (place / "inp_1.json").mkdir()
    desk.open()
    await desk.until(lambda: desk.sent != [])
    assert [type(one) for one in desk.sent] == [WithdrawInput]
    assert any("could not be written" in one for one in desk.said)
