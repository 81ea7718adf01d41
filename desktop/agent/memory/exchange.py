"""MemoryExchange: entries written as Markdown, and read from Markdown after a person ticked them."""

import asyncio
import hashlib
import os
import stat
from collections.abc import Callable, Sequence
from pathlib import Path

from desktop.agent.core.commands import Handler
from desktop.agent.core.session import Publish
from desktop.agent.memory.book import MemoryBook, NotRemembered, Written, new_memory_id
from desktop.config.folders import typed_path
from desktop.domain.core.command import Command
from desktop.domain.core.errors import CommandError, StoreError
from desktop.domain.gate.redaction import Redactor
from desktop.domain.memory.commands import ExportMemory, ImportMemory, PreviewImport
from desktop.domain.memory.updates import ImportItem, ImportPreviewed, MemoryExported, MemoryImported
from desktop.domain.memory.values import Entry, Source
from desktop.policy.memory.exchange import BrokenImport, Statement, read, written
from desktop.policy.memory.writes import refusal, secret_problem, text_problem
from desktop.store.core.memory import Owner
from desktop.store.core.readings import Readings

MOST_BYTES = 4 * 1024 * 1024
MOST_FILES = 50
MOST_THINGS = 5_000
_Read = tuple[Entry | Statement, str]
"""What a file holds, and why it is not kept, "" if it can be."""
_PERSON = Written("person")


class MemoryExchange:
    """Engine thread; files are read and written on a worker thread. `owners`: whose entries are meant, the
    repository's first if one is open."""

    def __init__(
        self, book: MemoryBook, readings: Readings, publish: Publish, owners: Callable[[], tuple[Owner, ...]]
    ) -> None:
        self._book = book
        self._readings = readings
        self._publish = publish
        self._owners = owners

    def handlers(self) -> dict[type[Command], Handler]:
        """By kind of command, what carries it out."""
        return {ExportMemory: self._export, PreviewImport: self._preview, ImportMemory: self._import}

    async def _export(self, command: ExportMemory) -> None:
        folder = typed_path(command.folder)
        try:
            files, entries = await asyncio.to_thread(_exported, self._readings, self._owners(), folder)
        except StoreError as error:
            raise CommandError("not_exported", f"The memory could not be read: {error}") from error
        except OSError as error:
            raise CommandError("not_exported", f"Could not write to {folder}: {error.strerror or error}.") from error
        self._publish(MemoryExported(command_id=command.command_id, files=files, entries=entries))

    async def _preview(self, command: PreviewImport) -> None:
        asked, path = command.command_id, command.path
        try:
            found, sha256 = await self._read(path)
        except (BrokenImport, OSError) as error:
            reason = f"Could not read {path}: {error.strerror}." if isinstance(error, OSError) else str(error)
            self._publish(ImportPreviewed(command_id=asked, path=path, problem=reason))
            return
        items = tuple(self._item(*one) for one in found)
        self._publish(ImportPreviewed(command_id=asked, path=path, sha256=sha256, items=items))

    async def _import(self, command: ImportMemory) -> None:
        """Nothing is kept where something that was ticked cannot be. A memory that becomes full keeps what it has by
        then."""
        try:
            found, sha256 = await self._read(command.path)
        except (BrokenImport, OSError) as error:
            raise CommandError("not_imported", f"Nothing was imported: {error}") from error
        if sha256 != command.sha256:
            raise CommandError("import_changed", "The file changed meanwhile. Look at it again.")
        places = [place for place in dict.fromkeys(command.ticked) if 0 <= place < len(found)]
        chosen = [found[place] for place in places]
        if any(not self._item(*one).can_be_kept for one in chosen):
            raise CommandError("not_imported", "Nothing was imported: something that was ticked cannot be kept.")
        added = proposed = 0
        try:
            for one, problem in chosen:
                item = self._item(one, problem)  # anew: an id may stand in the files twice
                if item.kind == "proposal":
                    proposed += self._propose(item)
                elif item.can_be_kept:
                    self._book.add(self._new(one), _PERSON, "imported")
                    added += 1
        except NotRemembered as error:
            raise CommandError("memory_full", f"{added} were imported; the rest not: {error}.") from error
        self._publish(MemoryImported(command_id=command.command_id, added=added, proposed=proposed))

    async def _read(self, path: str) -> tuple[list[_Read], str]:
        owner = next((owner for scope, owner in self._owners() if scope == "project"), "")
        return await asyncio.to_thread(_parsed, typed_path(path), owner, self._book.redactor())

    def _item(self, one: Entry | Statement, problem: str) -> ImportItem:
        if isinstance(one, Statement):
            return ImportItem(content=one.content, kind="statement", problem=problem)
        there = self._book.store.get(one.id)
        same = there is not None and there.content == one.content
        return ImportItem(
            content=one.content,
            kind="new" if there is None else "same" if same else "proposal",
            memory_id=one.id,
            category=one.category,
            problem=problem or self._other_owner(one),
        )

    def _other_owner(self, one: Entry) -> str:
        """Why an entry belongs to nobody who is here, "" if it does."""
        here = (one.scope, one.owner) in self._owners()
        return "" if here else "it belongs to a repository or an agent that is not open here"

    def _propose(self, item: ImportItem) -> int:
        there = self._book.store.get(item.memory_id)
        if there is None:
            return 0
        self._book.change(there.model_copy(update={"proposal": item.content}), _PERSON, "imported")
        return 1

    def _new(self, one: Entry | Statement) -> Entry:
        """The entry as it begins here: after the versions that are kept of one that was deleted; a statement as a
        candidate.

        Raises:
            NotRemembered: it is pinned, and as many are as there may be.
        """
        now, (scope, owner) = self._book.now(), self._owners()[0]
        if isinstance(one, Entry):
            if one.tier == 1 and one.status == "promoted":
                self._book.refuse_pin(one)
            last = self._book.store.versions(one.id)[-1:]
            return one.model_copy(update={"version": last[0].version + 1}) if last else one
        return Entry(
            id=new_memory_id(),
            scope=scope,
            owner=owner,
            content=one.content,
            source=Source(by="file"),
            created_at=now,
            updated_at=now,
        )


def _exported(readings: Readings, owners: tuple[Owner, ...], folder: Path) -> tuple[tuple[str, ...], int]:
    """Write what there is; the files, and how many entries. Blocking. Raises StoreError, OSError."""
    entries = readings.memory_entries(owners)
    texts = written(entries)
    _write(folder, texts)
    return tuple(str(folder / name) for name in texts), len(entries)


def _write(folder: Path, texts: dict[str, str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    taken = [name for name in texts if (folder / name).exists()]
    if taken:
        raise FileExistsError(17, f"{taken[0]} is there already")
    for name, text in texts.items():
        with (folder / name).open("xb") as file:
            file.write(text.encode("utf-8", "surrogatepass"))


def _parsed(path: Path, owner: str, redactor: Redactor) -> tuple[list[_Read], str]:
    """All that the files hold, and the digest of their texts. Blocking. Raises BrokenImport, OSError."""
    texts = _texts(path)
    digest = hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass")).hexdigest()
    found: list[_Read] = []
    for text in texts:
        things: Sequence[Entry | Statement] = read(text, owner)
        if len(found) + len(things) > MOST_THINGS:
            raise BrokenImport(f"{path} holds more than {MOST_THINGS:,} things to remember. Import fewer at a time.")
        found += [(one, _problem(one, redactor)) for one in things]
    return found, digest


def _problem(one: Entry | Statement, redactor: Redactor) -> str:
    if isinstance(one, Statement):
        return refusal(one.content, redactor)
    return text_problem(one.content) or secret_problem(f"{one.content}\n{one.proposal}", redactor)


def _texts(path: Path) -> list[str]:
    if path.is_dir():
        return [_text(file, file.lstat()) for file in sorted(path.glob("*.md"))[:MOST_FILES]]
    return [_text(path, path.stat())]


def _text(file: Path, facts: os.stat_result) -> str:
    """What is no regular file could hold the reading up for ever, and a link of a folder lead anywhere."""
    if not stat.S_ISREG(facts.st_mode):
        raise BrokenImport(f"{file.name} is a link or no regular file.")
    with file.open("rb") as opened:
        content = opened.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise BrokenImport(f"{file.name} has more than {MOST_BYTES // (1024 * 1024)} MiB.")
    try:
        return content.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise BrokenImport(f"{file.name} is no text in UTF-8.") from error
