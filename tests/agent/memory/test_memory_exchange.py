"""What is remembered is exported as Markdown, and read in again after a person ticked it."""

import os
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TypeVar

import pytest
import pytest_asyncio

from desktop.agent.memory import exchange
from desktop.config.folders import Folders
from desktop.domain.core.update import Update
from desktop.domain.memory import commands as m
from desktop.domain.memory import updates as u
from desktop.domain.memory.values import Entry
from desktop.domain.skills.commands import ReviewSkill
from tests.agent.rig import Rig, folders_below, write_settings
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

pytestmark = pytest.mark.asyncio

FACT = "Invoices are rounded half up, because the tax office does."
U = TypeVar("U", bound=Update)


def last(rig: Rig, kind: type[U]) -> U:
    return [update for update in rig.updates if isinstance(update, kind)][-1]


@pytest_asyncio.fixture
async def empty(tmp_path: Path, repository: Path, model_api: FakeModelApi) -> AsyncIterator[Rig]:
    """Another store, with the same repository open."""
    folders = folders_below(tmp_path / "other")
    write_settings(folders, model_api.url)
    rig = await Rig(folders).open(repository)
    yield rig
    await rig.engine.stop()


async def listed(rig: Rig) -> dict[str, Entry]:
    found: dict[str, Entry] = {}
    names: tuple[m.MemoryList, ...] = ("all", "archived")
    for name in names:
        await rig.engine.handle(m.SearchMemory(list=name))
        found |= {hit.entry.id: hit.entry for hit in last(rig, u.MemoryFound).hits}
    return found


async def preview(rig: Rig, path: Path) -> u.ImportPreviewed:
    await rig.engine.handle(m.PreviewImport(path=str(path)))
    return last(rig, u.ImportPreviewed)


async def take(rig: Rig, shown: u.ImportPreviewed, *ticked: int) -> None:
    await rig.engine.handle(m.ImportMemory(path=shown.path, sha256=shown.sha256, ticked=ticked))


@pytest.mark.promise("memory-ME24")
async def test_an_export_read_into_an_empty_store_gives_equal_entries(
    rig: Rig, empty: Rig, model_api: FakeModelApi, tmp_path: Path
) -> None:
    model_api.script(
        tool_turn("memory_add", content=FACT, category="convention", files=["app.py"]), text_turn("ok"),
    )  # fmt: skip
    await rig.new("Say something of interest")
    await rig.ended()
    await rig.engine.handle(m.SaveMemory(content="# Write\n## in English", personal=True, category="preference"))
    await rig.engine.handle(m.SaveMemory(content="Deploy on Fridays"))
    gone = next(one for one in (await listed(rig)).values() if one.content.startswith("Deploy"))
    await rig.engine.handle(m.ArchiveMemory(memory_id=gone.id))
    out = tmp_path / "out"
    await rig.engine.handle(m.ExportMemory(folder=str(out)))
    exported = last(rig, u.MemoryExported)
    names = ["memory-person-preference.md", "memory-project-convention.md", "memory-project-fact.md"]
    assert (exported.entries, [Path(one).name for one in exported.files]) == (3, names)
    shown = await preview(empty, out)
    assert [(one.kind, one.problem) for one in shown.items] == [("new", "")] * 3
    assert await listed(empty) == {}
    await take(empty, shown, 0, 1, 2)
    assert await listed(empty) == await listed(rig)
    assert [one.kind for one in (await preview(empty, out)).items] == ["same"] * 3
    await rig.engine.handle(m.ExportMemory(folder=str(out)))
    assert "memory-person-preference.md is there already" in rig.failures()[-1].text


async def test_an_import_never_overwrites_and_a_changed_file_is_looked_at_again(rig: Rig, tmp_path: Path) -> None:
    await rig.engine.handle(m.SaveMemory(content=FACT))
    await rig.engine.handle(m.ExportMemory(folder=str(tmp_path / "out")))
    file = tmp_path / "out" / "memory-project-fact.md"
    file.write_text(file.read_text("utf-8").replace("half up", "half even"), "utf-8")
    shown = await preview(rig, file)
    assert [one.kind for one in shown.items] == ["proposal"]
    await take(rig, shown, 0)
    (entry,) = (await listed(rig)).values()
    assert (entry.content, entry.proposal) == (FACT, FACT.replace("up", "even"))
    await rig.engine.handle(m.AcceptMemory(memory_id=entry.id, version=entry.version))
    (entry,) = (await listed(rig)).values()
    assert (entry.content, entry.proposal) == (FACT.replace("up", "even"), "")
    file.write_text(file.read_text("utf-8") + "\nmore\n", "utf-8")
    await take(rig, shown, 0)
    assert rig.failures()[-1].text == "The file changed meanwhile. Look at it again."


async def test_of_other_markdown_only_what_was_ticked_is_kept_as_a_candidate(rig: Rig, tmp_path: Path) -> None:
    key = "sk-ant-" + "a1" * 20
    file = tmp_path / "rules.md"
    file.write_text(f"# Rules\n- Round half up, by law\n- Use {key}\n- Fixed the login\n- Deploy on Fridays\n", "utf-8")
    shown = await preview(rig, file)
    assert [one.problem for one in shown.items][:2] == ["", "it holds a secret (Anthropic key)"]
    assert [one.can_be_kept for one in shown.items] == [True, False, False, True]
    await take(rig, shown, 0, 1)
    assert rig.failures()[-1].text == "Nothing was imported: something that was ticked cannot be kept."
    assert await listed(rig) == {}
    await take(rig, shown, 3)
    (entry,) = (await listed(rig)).values()
    assert (entry.content, entry.status, entry.source.by) == ("Deploy on Fridays", "candidate", "file")
    assert last(rig, u.MemoryImported).added == 1


async def test_a_broken_entry_is_named_and_nothing_is_imported(rig: Rig, tmp_path: Path, folders: Folders) -> None:
    for content in ("Round half up", "Deploy on Fridays"):
        await rig.engine.handle(m.SaveMemory(content=content))
    await rig.engine.handle(m.ExportMemory(folder=str(tmp_path / "out")))
    file = tmp_path / "out" / "memory-project-fact.md"
    head, _, tail = file.read_text("utf-8").rpartition("tier: 2")
    file.write_text(f"{head}tier: nine{tail}", "utf-8")
    shown = await preview(rig, file)
    assert shown.problem.startswith("Entry 2 (mem_")
    assert shown.items == ()
    await take(rig, shown, 0)
    assert rig.failures()[-1].text.startswith("Nothing was imported: Entry 2 (mem_")
    (tmp_path / "odd.md").write_bytes(b"\xff\xfe")
    assert (await preview(rig, tmp_path / "odd.md")).problem == "odd.md is no text in UTF-8."
    assert (await preview(rig, tmp_path / "none.md")).problem.endswith("No such file or directory.")


async def test_what_is_no_file_is_not_read_and_a_link_of_a_folder_is_not_followed(rig: Rig, tmp_path: Path) -> None:
    folder = tmp_path / "theirs"
    folder.mkdir()
    (tmp_path / "own.md").write_text("- The password of the shop is under the mat.\n")
    (folder / "a.md").symlink_to(tmp_path / "own.md")
    assert (await preview(rig, folder)).problem == "a.md is a link or no regular file."
    (folder / "a.md").unlink()
    os.mkfifo(folder / "b.md")
    assert (await preview(rig, folder)).problem == "b.md is a link or no regular file."
    assert (await preview(rig, folder / "b.md")).problem == "b.md is a link or no regular file."
    assert (await preview(rig, Path("/dev/zero"))).problem == "zero is a link or no regular file."
    await rig.engine.handle(ReviewSkill(source="zip", place=str(folder / "b.md")))
    assert rig.failures()[-1].text == "'b.md' is no file."


async def test_an_export_brings_back_what_was_deleted_and_an_id_that_stands_twice_is_kept_once(
    rig: Rig, tmp_path: Path
) -> None:
    await rig.engine.handle(m.SaveMemory(content=FACT))
    (entry,) = (await listed(rig)).values()
    await rig.engine.handle(m.ExportMemory(folder=str(tmp_path / "out")))
    await rig.engine.handle(m.DeleteMemory(memory_id=entry.id))
    file = tmp_path / "out" / "memory-project-fact.md"
    head, found, section = file.read_text("utf-8").partition("\n## ")
    file.write_text(f"{head}{found}{section}{found}{section}", "utf-8")
    shown = await preview(rig, file)
    await take(rig, shown, 0, 1)
    assert rig.failures() == []
    (again,) = (await listed(rig)).values()
    assert (again.content, again.version, last(rig, u.MemoryImported).added) == (FACT, 2, 1)


@pytest.mark.parametrize(
    "broken", ["tier: 9", "version: 0", 'created_at: "2026-01-01T00:00:00"', "uses: 1000000000000000000000"]
)
async def test_values_that_no_entry_can_have_are_refused(rig: Rig, tmp_path: Path, broken: str) -> None:
    await rig.engine.handle(m.SaveMemory(content=FACT))
    await rig.engine.handle(m.ExportMemory(folder=str(tmp_path / "out")))
    file = tmp_path / "out" / "memory-project-fact.md"
    key = broken.partition(":")[0]
    file.write_text(re.sub(rf"\b{key}: [^;\n]+", broken, file.read_text("utf-8"), count=1), "utf-8")
    assert (await preview(rig, file)).problem.startswith("Entry 1 (mem_")


async def test_an_import_of_very_many_things_is_refused_before_it_is_shown(
    rig: Rig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exchange, "MOST_THINGS", 3)
    file = tmp_path / "many.md"
    file.write_text("".join(f"- Rule number {number}\n" for number in range(4)), "utf-8")
    assert "more than 3 things" in (await preview(rig, file)).problem
