"""The Memory tab: what is remembered, what waits for a person, and what a model was given of it."""

from functools import partial

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFileDialog, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from desktop.domain.core.command import Command
from desktop.domain.display.text import display_text
from desktop.domain.memory import commands as m
from desktop.domain.memory.updates import (
    GivenEntry,
    ImportPreviewed,
    MemoryChanged,
    MemoryExported,
    MemoryFound,
    MemoryGiven,
    MemoryImported,
    MemorySaved,
)
from desktop.domain.memory.values import MemoryHit
from desktop.domain.updates import CommandFailed, EngineReady, SettingsChanged
from desktop.language import said, tr
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.panel import Panel, PanelSpec
from desktop.ui.core.requests import Request, Requests, answer
from desktop.ui.core.sink import Clock
from desktop.ui.memory.bar import MemoryBar
from desktop.ui.memory.detail import EntryDetail
from desktop.ui.memory.dialogs import EntryDialog, ImportDialog
from desktop.ui.memory.words import GONE, entry_facts, given_item, hit_item, score_facts
from desktop.ui.text.format import count
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_2, SPACE_3
from desktop.ui.widgets.dialogs.ask import Question, ask_first
from desktop.ui.widgets.empty_state import EmptyPage, EmptyState
from desktop.ui.widgets.layouts.gaps import set_gaps
from desktop.ui.widgets.pick_list import PickList

_NOTHING: dict[str, tuple[str, str]] = {
    "all": (tr("No memories yet."), tr("Facts worth keeping appear here after you or the agent save them.")),
    "review": (
        tr("Nothing to review."),
        tr("What a chat writes after it read something of strangers waits here for you."),
    ),
    "stale": (
        tr("Nothing to check."),
        tr("An entry stands here when a file that it is about changed in this chat's lane."),
    ),
    "archived": (tr("Nothing is archived."), ""),
    "given": (
        tr("Nothing was given."),
        tr("What the model is given of the memory in a turn of this chat stands here."),
    ),
}

_OFF = tr("Agents remember nothing, and nothing is looked up. Settings switch it on.")


class MemoryPanel(Panel):
    """A list and the chosen entry below it. `chat_asked` names a chat to open."""

    chat_asked = Signal(str)

    def __init__(self, requests: Requests, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._requests = requests
        self._asked = Request()
        self._session_id = self._deleted = ""
        self._hits: dict[str, MemoryHit] = {}
        self._given: tuple[GivenEntry, ...] = ()
        self._gone: tuple[str, ...] = ()
        self.setObjectName("memory_panel")
        self._is_on = True
        self.hearing = Hearing().on(MemoryChanged, self._on_changed)
        self.hearing.on(SettingsChanged, self._on_settings).on(EngineReady, self._on_settings)
        self.bar = MemoryBar(self)
        self.bar.changed.connect(self.refresh)
        self.bar.add_asked.connect(self.remember)
        self.bar.bring_back_asked.connect(self._undelete)
        self.bar.export_asked.connect(self._choose_folder)
        self.bar.import_asked.connect(self._choose_file)
        self.list = PickList("memory_list", self)
        self.list.setAccessibleName(tr("Entries"))
        self.list.setProperty("kind", "side")
        self.list.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.list.selectionModel().currentRowChanged.connect(self._show_row)
        self.detail = EntryDetail(self)
        self.detail.asked.connect(self._act)
        self._empty = EmptyPage(EmptyState("book-open", "", parent=self), self)
        splitter = QSplitter(Qt.Orientation.Vertical, self)
        splitter.setObjectName("memory_splitter")
        splitter.setChildrenCollapsible(False)
        splitter.setHandleWidth(max(1, theme().px(1)))
        splitter.addWidget(self.list)
        splitter.addWidget(self.detail)
        splitter.setSizes([theme().px(300), theme().px(240)])
        self._stack = QStackedWidget(self)
        self._stack.addWidget(splitter)
        self._stack.addWidget(self._empty)
        column = QVBoxLayout(self)
        set_gaps(column, (0, SPACE_3, 0, 0), SPACE_2)
        column.addWidget(self.bar)
        column.addWidget(self._stack, 1)
        self._say_nothing()

    def show_session(self, session_id: str) -> None:
        """Look at files in the lane of this chat, and at what its model was given."""
        if session_id != self._session_id:
            self.bar.show_turns((), "")
        self._session_id = session_id
        self.refresh()

    def showEvent(self, event: QShowEvent) -> None:
        """What is listed is asked for only while somebody sees it."""
        super().showEvent(event)
        self.refresh()

    def refresh(self) -> None:
        """Ask for the chosen list."""
        if not self.isVisible():
            return
        self._asked.drop()
        command: Command
        if self.bar.list == "given":
            if not self._session_id:
                self._on_given(MemoryGiven(command_id=""))
                return
            command = m.ShowGiven(session_id=self._session_id, turn_id=self.bar.turn)
        else:
            command = m.SearchMemory.model_validate(
                {
                    "list": self.bar.list,
                    "text": self.bar.text.text(),
                    "category": self.bar.category,
                    "session_id": self._session_id,
                }
            )
        replies = answer(MemoryFound, self._on_found), answer(MemoryGiven, self._on_given)
        self._asked = self._requests.ask(command, self, *replies, failed=self._on_failed)

    def remember(self, text: str = "") -> None:
        """Let a person write an entry, or look at this text before it is kept."""
        self._open(EntryDialog(self.window(), text=text))

    def search(self, words: str) -> None:
        """Look for these words in all entries."""
        self.bar.choose("all", words)

    # What came

    def _on_changed(self, update: MemoryChanged) -> None:
        self.counted.emit(update.review)
        self.bar.count("all", update.entries)
        self.bar.count("review", update.review)
        self.bar.count("archived", update.archived)
        self.refresh()

    def _on_settings(self, update: SettingsChanged | EngineReady) -> None:
        self._is_on = update.settings.memory
        self._say_nothing()

    def _on_found(self, found: MemoryFound) -> None:
        self._hits, self._given = {hit.entry.id: hit for hit in found.hits}, ()
        self._gone = found.gone
        chosen = self._key
        self.list.show_items([hit_item(hit) for hit in found.hits])
        keys = list(self._hits)
        if chosen in keys:
            self.list.step(keys.index(chosen))
        self._say_nothing(found.problem)
        if found.problem and found.hits:
            self.noted.emit(display_text(said(found.problem)), True)

    def _on_given(self, given: MemoryGiven) -> None:
        self._hits, self._given = {}, given.given
        self.bar.show_turns(given.turns, given.turn_id)
        self.list.show_items([given_item(place, one) for place, one in enumerate(given.given)])
        self._say_nothing(_given_words(given))

    def _on_failed(self, failed: CommandFailed) -> None:
        self.noted.emit(display_text(failed.text), True)

    def _say_nothing(self, why: str = "") -> None:
        listed = bool(self.list.items)
        title, sentence = _NOTHING[self.bar.list]
        if self.bar.text.text() and self.bar.list != "given":
            title, sentence = tr("No memory matches."), ""
        elif not self._is_on:
            title, sentence = (
                tr("Memory is off."),
                _OFF,
            )
        self._empty.set_texts(title, display_text(why) or sentence)
        self._stack.setCurrentIndex(0 if listed else 1)

    @property
    def _key(self) -> str:
        return self.list.key_at(self.list.currentIndex())

    @property
    def _hit(self) -> MemoryHit | None:
        return self._hits.get(self._key)

    def _show_row(self, index: QModelIndex, _before: QModelIndex) -> None:
        key = self.list.key_at(index)
        hit = self._hits.get(key)
        if hit is not None:
            gone = hit.entry.source.session_id in self._gone
            facts = entry_facts(hit.entry, hit.stale, gone=gone)
            if hit.parts.total:
                facts += f"\n{score_facts(hit.parts)}"
            self.detail.show_entry(hit.entry, facts, stale=bool(hit.stale), gone=gone)
        elif key.isdecimal() and int(key) < len(self._given):
            given = self._given[int(key)]
            text = given.entry.content if given.entry is not None else GONE
            self.detail.show_given(
                text, tr("{parts} Version {version}.", parts=score_facts(given.parts), version=given.version)
            )

    # What a person does

    def _act(self, act: str) -> None:
        hit = self._hit
        if hit is None:
            return
        entry = hit.entry
        commands: dict[str, Command] = {
            "accept": m.AcceptMemory(memory_id=entry.id, version=entry.version),
            "still_true": m.ConfirmMemory(memory_id=entry.id, session_id=self._session_id),
            "pin": m.PinMemory(memory_id=entry.id),
            "unpin": m.PinMemory(memory_id=entry.id, pinned=False),
            "archive": m.ArchiveMemory(memory_id=entry.id),
            "restore": m.ArchiveMemory(memory_id=entry.id, archived=False),
            "undo": m.RestoreMemory(memory_id=entry.id),
        }
        if act in commands:
            self._send(commands[act])
        elif act == "edit":
            self._open(EntryDialog(self.window(), entry))
        elif act == "source":
            self.chat_asked.emit(entry.source.session_id)
        else:
            self._ask_delete(entry.id, hit_item(hit).title)

    def _ask_delete(self, memory_id: str, title: str) -> None:
        question = Question(
            "memory_delete_dialog",
            tr("Delete this entry?"),
            tr(
                "{title}\n\nNobody finds it any more. Its versions are kept for 30 days, then they are gone.",
                title=title,
            ),
            (tr("Cancel"), "memory_delete_cancel"),
            (tr("Delete"), "memory_delete_go"),
        )
        ask_first(question, self, partial(self._delete, memory_id))

    def _delete(self, memory_id: str) -> None:
        self._deleted = memory_id
        self.bar.offer_back(True)
        self._send(m.DeleteMemory(memory_id=memory_id))

    def _undelete(self) -> None:
        self.bar.offer_back(False)
        self._send(m.RestoreMemory(memory_id=self._deleted))

    def _send(self, command: Command) -> None:
        self._requests.ask(command, self, failed=self._on_failed)

    def _open(self, dialog: EntryDialog) -> None:
        dialog.submitted.connect(partial(self._save, dialog))
        dialog.open()

    def _save(self, dialog: EntryDialog) -> None:
        """The dialog goes once the entry is kept; what is wrong with it is said there."""
        dialog.set_working(True, tr("Saving…"))
        kept = answer(MemorySaved, lambda _saved: dialog.accept())
        self._requests.ask(dialog.command, dialog, kept, failed=lambda failed: dialog.fail(failed.text))

    # Files

    def _choose_folder(self) -> None:
        dialog = self._file_dialog(tr("Export the memory into a folder"), "memory_export_dialog")
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.fileSelected.connect(self._export)
        dialog.open()

    def _choose_file(self) -> None:
        dialog = self._file_dialog(tr("Import Markdown"), "memory_import_dialog")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilter(tr("Markdown (*.md)"))
        dialog.fileSelected.connect(self.preview)
        dialog.open()

    def _file_dialog(self, title: str, name: str) -> QFileDialog:
        dialog = QFileDialog(self, title)
        dialog.setObjectName(name)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        return dialog

    def _export(self, folder: str) -> None:
        exported = answer(MemoryExported, self._on_exported)
        self._requests.ask(m.ExportMemory(folder=folder), self, exported, failed=self._on_failed)

    def _on_exported(self, exported: MemoryExported) -> None:
        entries = count(exported.entries, "entry", "entries")
        self.noted.emit(
            tr("{entries} written to {files}.", entries=entries, files=count(len(exported.files), "file")), False
        )

    def preview(self, path: str) -> None:
        """Show what could be kept of a Markdown file."""
        shown = answer(ImportPreviewed, self._on_preview)
        self._requests.ask(m.PreviewImport(path=path), self, shown, failed=self._on_failed)

    def _on_preview(self, shown: ImportPreviewed) -> None:
        if shown.problem or not shown.items:
            words = display_text(said(shown.problem)) or tr("There is nothing in this file to keep.")
            self.noted.emit(words, bool(shown.problem))
            return
        dialog = ImportDialog(shown, self.window())
        dialog.submitted.connect(partial(self._import, dialog))
        dialog.open()

    def _import(self, dialog: ImportDialog) -> None:
        dialog.set_working(True, tr("Keeping…"))
        kept = answer(MemoryImported, lambda _imported: dialog.accept())
        self._requests.ask(dialog.command, dialog, kept, failed=lambda failed: dialog.fail(failed.text))


def _given_words(given: MemoryGiven) -> str:
    """Why a list of what was given is empty."""
    if not given.searched:
        return tr("Nothing was looked up in this turn.")
    return (
        tr("Searched, {entrys} found, none given.", entrys=count(given.found, "entry", "entries"))
        if not given.given
        else ""
    )


def _made(requests: Requests, _clock: Clock, parent: QWidget) -> Panel:
    return MemoryPanel(requests, parent)


MEMORY = PanelSpec("memory", tr("Memory"), tr("Show memory"), ("Alt+8",), "book-open", _made)
