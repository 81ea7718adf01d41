"""Skills: what the person and the repository have for agents, how each stands, and the agents from files."""

from datetime import datetime
from functools import partial
from typing import Literal

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFileDialog, QWidget

from desktop.domain.core.command import Command
from desktop.domain.display.text import display_text
from desktop.domain.skills.commands import (
    FindSkillImports,
    InstallSkill,
    LoadSkills,
    RestoreSkill,
    ReviewSkill,
    TrustSkills,
    UninstallSkill,
)
from desktop.domain.skills.remote import FetchSkills, SkillsFetched
from desktop.domain.skills.review import SkillReview
from desktop.domain.skills.updates import (
    AgentRow,
    SkillImport,
    SkillImportsFound,
    SkillReviewed,
    SkillRow,
    SkillsLoaded,
)
from desktop.domain.updates import CommandFailed
from desktop.language import said, tr
from desktop.ui.core.requests import Requests, answer
from desktop.ui.settings.listing.row_list import RowList, button_row
from desktop.ui.settings.listing.waiting import WaitingCards
from desktop.ui.settings.page import SettingsPage
from desktop.ui.settings.skills.fetch_dialog import FetchDialog
from desktop.ui.settings.skills.review_dialog import SkillDialog, Verb
from desktop.ui.settings.skills.waiting_card import WaitingCard
from desktop.ui.settings.skills.why_words import why_words
from desktop.ui.text import format as fmt
from desktop.ui.widgets.buttons.off import UNDER_WAY, set_off
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.fact_list import FactList

_NAME = "settings_skills"
Source = Literal["folder", "zip", "file"]
_ROWS, _TOLD = 7, 300
_ABOUT = tr(
    "A skill is a folder with a text that tells agents how a kind of task is done. Agents choose one by its "
    "description, and you call one by / and its name. A skill allows nothing."
)
_NONE = tr("There is no skill yet.")
_NO_AGENTS = tr("There is no agent from a file yet: Markdown files in {folder} or in .banksman/agents of a repository.")
_NO_IMPORTS = tr("No skill of another program was found in your home folder.")
_STATES = {"on": tr("on"), "hidden": tr("hidden"), "fault": tr("cannot be used"), "review": tr("waits for your review")}
_ICONS = {"on": "check", "hidden": "eye", "fault": "circle-x", "review": "shield-alert"}


class SkillsPage(SettingsPage):
    """The folders are looked at when the page is shown, not before."""

    name, title, icon = "skills", tr("Skills"), "book-open"

    def __init__(self, requests: Requests, parent: QWidget) -> None:
        super().__init__(parent)
        self._requests = requests
        self._loaded = SkillsLoaded()
        self._asked = False
        self._dialog: SkillDialog | None = None
        about = plain_label(self.contents, "muted")
        about.setText(_ABOUT)
        self._problem = plain_label(self.contents, "strong", f"{_NAME}_problem", role="danger")
        self._waiting = WaitingCards(self.contents)
        self._none = plain_label(self.contents, "muted", f"{_NAME}_none")
        self._list = RowList(f"{_NAME}_list", tr("Skills"), _ROWS, self.contents)
        self._why = plain_label(self.contents, "muted", f"{_NAME}_why")
        self._review = push_button(tr("Look at it…"), f"{_NAME}_review", self.contents, self._on_review)
        self._back = push_button(tr("Bring back what was accepted"), f"{_NAME}_back", self.contents, self._on_back)
        self._remove = push_button(tr("Take away"), f"{_NAME}_remove", self.contents, self._on_remove)
        self._update = push_button(tr("Look for an update…"), f"{_NAME}_update", self.contents, self._on_update)
        self._folder = push_button(tr("Install from a folder…"), f"{_NAME}_folder", self.contents, self._on_folder)
        self._zip = push_button(tr("Install from a zip file…"), f"{_NAME}_zip", self.contents, self._on_zip)
        self._import = push_button(
            tr("Import from other programs…"), f"{_NAME}_import", self.contents, self._ask_imports
        )
        self._single = push_button(
            tr("Install an agent or a command…"), f"{_NAME}_single", self.contents, self._on_single
        )
        self._fetch = push_button(tr("Install from a git address…"), f"{_NAME}_fetch", self.contents, self._on_fetch)
        self._imports_none = plain_label(self.contents, "muted", f"{_NAME}_imports_none")
        self._imports = RowList(f"{_NAME}_imports", tr("Skills that were found"), _ROWS, self.contents)
        self._take_over = push_button(
            tr("Look at it, to install it…"), f"{_NAME}_take", self.contents, self._on_take_over
        )
        self._found: tuple[SkillImport, ...] = ()
        self._commit = ""
        self._trash_title = plain_label(self.contents, "heading", f"{_NAME}_trash_title")
        self._trash_title.setText(tr("Taken away"))
        self._trash = RowList(f"{_NAME}_trash", tr("Skills that were taken away"), _ROWS, self.contents)
        self._restore = push_button(tr("Restore"), f"{_NAME}_restore", self.contents, self._on_restore)
        agents_title = plain_label(self.contents, "heading")
        agents_title.setText(tr("Agents from files"))
        self._agents_none = plain_label(self.contents, "muted", f"{_NAME}_no_agents")
        self._agents = FactList(f"{_NAME}_agents", tr("Agents from files"), ("bot", "muted"), self.contents)
        for widget in (about, self._problem, self._waiting, self._none, self._list, self._why):
            self.column.addWidget(widget)
        self.column.addLayout(button_row(self._review, self._back, self._remove))
        self.column.addLayout(button_row(self._update))
        self.column.addLayout(button_row(self._folder, self._zip, self._single))
        self.column.addLayout(button_row(self._fetch, self._import))
        self.column.addWidget(self._imports_none)
        self.column.addWidget(self._imports)
        self.column.addLayout(button_row(self._take_over))
        for widget in (self._trash_title, self._trash):
            self.column.addWidget(widget)
        self.column.addLayout(button_row(self._restore))
        for below in (agents_title, self._agents_none, self._agents):
            self.column.addWidget(below)
        self._list.currentRowChanged.connect(self._show_chosen)
        self._imports.currentRowChanged.connect(self._show_import)
        self._show_found(())
        self._trash.currentRowChanged.connect(self._show_chosen)
        self._show(self._loaded)

    def showEvent(self, event: QShowEvent) -> None:
        """Look at the folders, at the first time."""
        super().showEvent(event)
        if not self._asked:
            self._asked = True
            self._ask(LoadSkills())

    def _show(self, loaded: SkillsLoaded) -> None:
        chosen = self._row
        self._loaded = loaded
        say(self._problem, "")
        self._show_waiting()
        say(self._none, "" if loaded.skills else _NONE)
        self._list.show_rows((_skill_line(one), _ICONS[one.state]) for one in loaded.skills)
        keys = [(one.scope, one.place) for one in loaded.skills]
        self._list.setCurrentRow(keys.index((chosen.scope, chosen.place)) if chosen and _key(chosen) in keys else 0)
        gone = [
            (tr("{skill} · kept until {day}", skill=_named(one.what, one.skill_id), day=_day(one.until)), "trash-2")
            for one in loaded.removed
        ]
        self._trash.show_rows(gone)
        self._trash.setCurrentRow(0)
        for widget in (self._trash_title, self._restore):
            widget.setVisible(bool(gone))
        say(
            self._agents_none,
            "" if loaded.agents else _NO_AGENTS.format(folder=tr("the agents folder of your settings")),
        )
        self._agents.show_lines([_agent_line(one) for one in loaded.agents])
        self._show_chosen()

    def _show_waiting(self) -> None:
        cards = [WaitingCard(one, self._waiting) for one in self._loaded.waiting]
        for card in cards:
            card.trusted.connect(self._on_trust)
            card.looked.connect(self._on_look)
        self._waiting.show_cards(cards)

    @property
    def _row(self) -> SkillRow | None:
        at = self._list.currentRow()
        return self._loaded.skills[at] if 0 <= at < len(self._loaded.skills) else None

    def _show_chosen(self) -> None:
        """What can be done with the chosen skill, and why it stands as it does."""
        row = self._row
        own = row is not None and row.scope == "person" and "/" not in row.place
        lines = [why_words(row.why), *map(said, row.notes)] if row is not None else []
        say(self._why, "\n".join(display_text(line) for line in lines if line))
        none = tr("Choose a skill.") if row is None else ""
        self._review.setVisible(bool(self._loaded.skills))
        self._remove.setVisible(bool(self._loaded.skills))
        set_off(self._review, none or ("" if row is not None and row.files > 0 else tr("It has no files.")))
        accepts = row is not None and row.scope == "person" and row.state == "review"
        self._review.setText(tr("Look at it and accept…") if accepts else tr("Look at it…"))
        self._back.setVisible(row is not None and own and row.accepted and row.state in ("review", "fault"))
        set_off(self._remove, none or ("" if own else tr("Only a skill of your own folder can be removed here.")))
        self._update.setVisible(row is not None and own and row.origin is not None)
        set_off(self._update, "")
        set_off(self._restore, "" if self._trash.currentRow() >= 0 else tr("Choose a skill in the trash."))

    def _ask(self, command: Command) -> None:
        self._requests.ask(command, self, answer(SkillsLoaded, self._on_loaded), failed=self._on_failed)

    def _look(self, command: ReviewSkill, verb: Verb) -> None:
        shown = partial(self._on_reviewed, verb)
        self._requests.ask(command, self, answer(SkillReviewed, shown), failed=self._on_failed)

    def _on_loaded(self, loaded: SkillsLoaded) -> None:
        if self._dialog is not None:
            self._dialog.accept()
        self._show(loaded)

    def _on_failed(self, failed: CommandFailed) -> None:
        if self._dialog is not None:
            self._dialog.show_problem(failed.text)
        else:
            say(self._problem, display_text(failed.text))
            self.ensureWidgetVisible(self._problem)
            set_off(self._update, "")
            for card in self._waiting.findChildren(WaitingCard):
                set_off(card.button, "")

    def _on_reviewed(self, verb: Verb, reviewed: SkillReviewed) -> None:
        say(self._problem, "")
        self._dialog = SkillDialog(reviewed.review, verb, self.window())
        self._dialog.agreed.connect(self._on_agreed)
        self._dialog.finished.connect(self._forget_dialog)
        self._dialog.open()

    def _forget_dialog(self) -> None:
        self._dialog = None

    def _on_agreed(self, review: SkillReview) -> None:
        self._ask(InstallSkill(skill_id=review.skill_id, sha256=review.sha256))

    def _on_review(self) -> None:
        row = self._row
        if row is not None:
            source: Literal["own", "repository"] = "own" if row.scope == "person" else "repository"
            accepts = row.scope == "person" and row.state == "review"
            self._look(ReviewSkill(source=source, place=row.place), "accept" if accepts else "")

    def _on_look(self, place: str, sha256: str) -> None:
        self._look(ReviewSkill(source="repository", place=place, sha256=sha256), "")

    def _on_back(self) -> None:
        if self._row is not None:
            self._ask(RestoreSkill(skill_id=self._row.skill_id))

    def _on_remove(self) -> None:
        if self._row is not None:
            self._ask(UninstallSkill(skill_id=self._row.skill_id))

    def _on_restore(self) -> None:
        at = self._trash.currentRow()
        if 0 <= at < len(self._loaded.removed):
            self._ask(RestoreSkill(token=self._loaded.removed[at].token))

    def _on_trust(self, what: str, sha256: str) -> None:
        self._ask(TrustSkills(sha256=sha256, what="agents" if what == "agents" else "skills"))

    def _on_folder(self) -> None:
        dialog = QFileDialog(self.window(), tr("A folder with a SKILL.md"))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        self._pick(dialog, "folder")

    def _on_zip(self) -> None:
        dialog = QFileDialog(self.window(), tr("A zip file with a skill"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilter(tr("Zip files (*.zip *.skill)"))
        self._pick(dialog, "zip")

    def _on_single(self) -> None:
        dialog = QFileDialog(self.window(), tr("A Markdown file with an agent or a command"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilter(tr("Markdown files (*.md)"))
        self._pick(dialog, "file")

    def _on_fetch(self) -> None:
        dialog = FetchDialog(self._requests, self.window())
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fetched.connect(self._on_fetched)
        dialog.open()

    def _on_update(self) -> None:
        """Ask the place that the chosen skill is from, and nobody else."""
        origin = self._row.origin if self._row is not None else None
        if origin is not None:
            set_off(self._update, UNDER_WAY)
            fetch = FetchSkills(address=origin.address, branch=origin.branch, folder=origin.folder)
            self._requests.ask(fetch, self, answer(SkillsFetched, self._on_fetched), failed=self._on_failed)

    def _on_fetched(self, fetched: SkillsFetched) -> None:
        """One skill is looked at straight away; of several a person chooses."""
        set_off(self._update, "")
        self._show_found(fetched.skills, fetched.commit)
        if len(fetched.skills) == 1 and not fetched.skills[0].problem:
            self._on_take_over()

    def _ask_imports(self) -> None:
        found = answer(SkillImportsFound, self._on_imports)
        self._requests.ask(FindSkillImports(), self, found, failed=self._on_failed)

    def _on_imports(self, found: SkillImportsFound) -> None:
        self._show_found(found.imports)
        say(self._imports_none, "" if found.imports else _NO_IMPORTS)

    def _show_found(self, found: tuple[SkillImport, ...], commit: str = "") -> None:
        """What other programs have, or a commit; nothing is read before somebody asks."""
        self._found, self._commit = found, commit
        say(self._imports_none, "")
        self._imports.show_rows((_import_line(one), "circle-x" if one.problem else "book-open") for one in self._found)
        self._take_over.setVisible(bool(self._found))
        self._imports.setCurrentRow(0 if self._found else -1)
        self._show_import()

    def _show_import(self) -> None:
        at = self._imports.currentRow()
        chosen = self._found[at] if 0 <= at < len(self._found) else None
        set_off(self._take_over, tr("Choose one.") if chosen is None else display_text(said(chosen.problem)))

    def _on_take_over(self) -> None:
        place = self._found[self._imports.currentRow()].place
        if self._commit:
            self._look(ReviewSkill(source="commit", place=place, sha256=self._commit), "install")
        else:
            self.install_from(place, "folder")

    def _pick(self, dialog: QFileDialog, source: Source) -> None:
        dialog.setObjectName(f"{_NAME}_pick")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda place: self.install_from(place, source))
        dialog.open()

    def install_from(self, place: str, source: Source) -> None:
        """Look at the skill in a folder or a zip file, or at an agent or a command, to install it."""
        self._look(ReviewSkill(source=source, place=place), "install")


def _key(row: SkillRow) -> tuple[str, str]:
    return row.scope, row.place


def _named(what: str, name: str) -> str:
    words = {"agent": tr("agent {name}", name=name), "command": tr("command {name}", name=name)}
    return display_text(words.get(what, name))


def _skill_line(row: SkillRow) -> str:
    scope = tr("your own") if row.scope == "person" else tr("of the repository, {place}", place=display_text(row.place))
    facts = [display_text(row.skill_id), _STATES[row.state], scope]
    facts += [f"{fmt.count(row.files, 'file')}, {fmt.size(row.size)}"] if row.files else []
    return "\n".join(part for part in (" · ".join(facts), display_text(row.description)) if part)


def _day(iso: str) -> str:
    return fmt.local_date(datetime.fromisoformat(iso).astimezone())


def _import_line(one: SkillImport) -> str:
    head = " · ".join(
        display_text(part)
        for part in (_named(one.what, one.skill_id), tr("of {program}", program=one.program), one.place)
        if part
    )
    return f"{head}\n{display_text(said(one.problem) or one.description)}"


def _agent_line(row: AgentRow) -> str:
    scope = tr("your own") if row.scope == "person" else tr("of the repository")
    head = f"{display_text(row.name)} · {_STATES[row.state]} · {scope}, {display_text(row.place)}"
    told = (display_text(line) for line in (row.description, why_words(row.why), *map(said, row.notes)) if line)
    return "\n".join([head, *(line if len(line) <= _TOLD else f"{line[: _TOLD - 1]}…" for line in told)])
