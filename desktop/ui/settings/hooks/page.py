"""Hooks: programs that are asked before calls and told after them, how each stands, and what they did lately."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFileDialog, QWidget

from desktop.domain.core.command import Command
from desktop.domain.display.text import display_text
from desktop.domain.hooks.commands import ImportHooks, LoadHooks, SwitchHook, TrustHooks, TryHook
from desktop.domain.hooks.updates import HookRow, HooksImported, HooksLoaded, HookTried, PastRun
from desktop.domain.hooks.values import HookDecision, HookMatch
from desktop.domain.updates import CommandFailed
from desktop.language import said, separated, tr
from desktop.ui.core.requests import Requests, answer
from desktop.ui.settings.hooks.imported import ImportedHooks
from desktop.ui.settings.hooks.waiting_card import WaitingHooks
from desktop.ui.settings.listing.row_list import RowList, button_row
from desktop.ui.settings.listing.waiting import WaitingCards
from desktop.ui.settings.page import SettingsPage
from desktop.ui.text.format import clock_time, duration, local_date
from desktop.ui.text.places import short_path
from desktop.ui.widgets.buttons.off import UNDER_WAY, set_off
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label, say

_NAME = "settings_hooks"
_CHOOSE = tr("Choose a hook.")
_ROWS = 8
_ABOUT = tr(
    "A hook is a program of yours, or of the repository, that is asked before calls of agents and told after them. It "
    "can stop a call or have you asked, and never allows anything. It runs in the sandbox of the lane."
)
_NONE = tr(
    "There is no hook yet. Write yours in hooks.toml in {folder}, those of a repository in its .banksman/hooks.toml."
)
_DECIDED: dict[HookDecision, str] = {
    "asked": tr("asked"),
    "denied": tr("denied"),
    "changed": tr("changed"),
    "noted": tr("noted"),
    "continued": tr("continued"),
    "failed": tr("failed"),
}
_MOMENTS = {
    "before_call": tr("before a call"),
    "after_call": tr("after a call"),
    "on_stop": tr("when the agent comes to an end"),
    "on_card": tr("when you are waited for"),
    "on_turn_start": tr("when a turn begins"),
}


class HooksPage(SettingsPage):
    """The files are looked at whenever the page is shown."""

    name, title, icon = "hooks", tr("Hooks"), "zap"

    def __init__(self, requests: Requests, parent: QWidget) -> None:
        super().__init__(parent)
        self._requests = requests
        self._loaded = HooksLoaded()
        self._from = ""
        about = plain_label(self.contents, "muted")
        about.setText(_ABOUT)
        self._problem = plain_label(self.contents, "strong", f"{_NAME}_problem", role="danger")
        self._waiting = WaitingCards(self.contents)
        self._none = plain_label(self.contents, "muted", f"{_NAME}_none")
        self._list = RowList(f"{_NAME}_list", tr("Hooks"), _ROWS, self.contents)
        self._list.setWordWrap(True)
        self._detail = plain_label(self.contents, "muted", f"{_NAME}_detail")
        self._switch = push_button(tr("Switch off"), f"{_NAME}_switch", self.contents, self._on_switch)
        self._try = push_button(tr("Try with the last such call"), f"{_NAME}_try", self.contents, self._on_try)
        self._again = push_button(tr("Look again"), f"{_NAME}_again", self.contents, self._load)
        self._import = push_button(
            tr("Take over from another program…"), f"{_NAME}_import", self.contents, self._on_import
        )
        self._tried = plain_label(self.contents, "", f"{_NAME}_tried")
        self._taken = ImportedHooks(self.contents)
        self._taken.agreed.connect(self._on_agreed)
        for widget in (about, self._problem, self._waiting, self._none, self._list, self._detail):
            self.column.addWidget(widget)
        self.column.addLayout(button_row(self._switch, self._try))
        self.column.addWidget(self._tried)
        self.column.addLayout(button_row(self._again, self._import))
        self.column.addWidget(self._taken)
        self._list.currentRowChanged.connect(self._show_chosen)
        self._show(self._loaded)

    def showEvent(self, event: QShowEvent) -> None:
        """Look at the files."""
        super().showEvent(event)
        self._load()

    def _load(self) -> None:
        self._ask(LoadHooks())

    def _show(self, loaded: HooksLoaded) -> None:
        chosen, self._loaded = self._list.currentRow(), loaded
        faults = [
            tr("{path} cannot be used: {problem}.", path=file.path, problem=said(file.problem))
            for file in loaded.files
            if file.problem
        ]
        say(self._problem, "\n".join(map(display_text, faults)))
        self._show_waiting()
        say(
            self._none,
            "" if loaded.hooks else _NONE.format(folder=display_text(short_path(loaded.folder)) or tr("your settings")),
        )
        self._list.show_rows((_line(row), "check" if row.on and row.runs else "pause") for row in loaded.hooks)
        for widget in (self._switch, self._try):
            widget.setVisible(bool(loaded.hooks))
        self._list.setCurrentRow(min(max(chosen, 0), len(loaded.hooks) - 1))
        self._show_chosen()

    def _show_waiting(self) -> None:
        cards = [WaitingHooks(file, self._waiting) for file in self._loaded.files if file.waits]
        for card in cards:
            card.trusted.connect(self._on_trust)
        self._waiting.show_cards(cards)

    @property
    def _row(self) -> HookRow | None:
        at = self._list.currentRow()
        return self._loaded.hooks[at] if 0 <= at < len(self._loaded.hooks) else None

    def _show_chosen(self) -> None:
        row = self._row
        say(self._tried, "")
        say(self._detail, "" if row is None else "\n".join(_details(row)))
        set_off(self._switch, "" if row is not None else _CHOOSE)
        self._switch.setText(tr("Switch off") if row is None or row.on else tr("Switch on"))
        self._fit_try()

    def _fit_try(self) -> None:
        row = self._row
        set_off(self._try, _CHOOSE if row is None else "" if row.runs else tr("It does not run now: look at its row."))

    def _ask(self, command: Command) -> None:
        self._requests.ask(command, self, answer(HooksLoaded, self._show), failed=self._on_failed)

    def _on_failed(self, failed: CommandFailed) -> None:
        say(self._problem, display_text(failed.text))
        self.ensureWidgetVisible(self._problem)
        self._fit_try()
        for card in self._waiting.findChildren(WaitingHooks):
            set_off(card.button, "")

    def _on_trust(self, scope: str, sha256: str) -> None:
        self._ask(TrustHooks(scope="person" if scope == "person" else "repository", sha256=sha256))

    def _on_switch(self) -> None:
        row = self._row
        if row is not None:
            self._ask(SwitchHook(scope=row.scope, hook_id=row.hook.id, on=not row.on))

    def _on_try(self) -> None:
        row = self._row
        if row is not None:
            say(self._problem, "")
            set_off(self._try, UNDER_WAY)
            command = TryHook(scope=row.scope, hook_id=row.hook.id)
            self._requests.ask(command, self, answer(HookTried, self._on_tried), failed=self._on_failed)

    def _on_import(self) -> None:
        dialog = QFileDialog(self.window(), tr("Settings of another program with hooks"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilter(tr("JSON files (*.json)"))
        dialog.setObjectName(f"{_NAME}_pick")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.import_from)
        dialog.open()

    def import_from(self, place: str) -> None:
        """Show what the hooks in a file would be here."""
        self._from = place
        self._take_over(ImportHooks(place=place))

    def _on_agreed(self) -> None:
        self._take_over(ImportHooks(place=self._from, save=True))

    def _take_over(self, command: ImportHooks) -> None:
        say(self._problem, "")
        self._requests.ask(command, self, answer(HooksImported, self._on_imported), failed=self._on_failed)

    def _on_imported(self, imported: HooksImported) -> None:
        self._taken.show_imported(imported)
        if imported.saved:
            self._load()

    def _on_tried(self, tried: HookTried) -> None:
        set_off(self._try, "")
        words = display_text(said(tried.words))
        about = display_text(tried.call)
        say(self._tried, tr("{result} Asked about: {call}", result=words, call=about) if about else words)
        self.ensureWidgetVisible(self._tried)


def _line(row: HookRow) -> str:
    scope = tr("your own") if row.scope == "person" else tr("of the repository")
    state = tr("off") if not row.on else tr("on") if row.runs else tr("does not run until you trust it")
    facts = [display_text(row.hook.id), state, scope, _MOMENTS[row.hook.on]]
    return f"{' · '.join(facts)}\n{display_text(row.hook.shown)}"


def _details(row: HookRow) -> list[str]:
    hook = row.hook
    about = "; ".join(map(_match_words, hook.match)) or tr("every call")
    limit = tr("At most {seconds} s a run.", seconds=separated(f"{hook.timeout_s:g}"))
    of_calls = hook.on in ("before_call", "after_call", "on_card")
    lines = [f"{tr('About {calls}.', calls=about)} {limit}" if of_calls else limit]
    lines += [_hosts_words(row)] if hook.network else []
    lines += [tr("It takes over a second again and again, and calls wait for it.")] if row.slow else []
    lines += (
        [tr("Last runs: {results}.", results="; ".join(map(_run_words, row.last)))]
        if row.last
        else [tr("It did not run yet.")]
    )
    return lines


def _run_words(run: PastRun) -> str:
    decided = _DECIDED[run.decision] if run.decision is not None else tr("passed")
    return f"{local_date(run.at)}, {clock_time(run.at)} {decided}, {duration(run.duration_ms)}"


def _hosts_words(row: HookRow) -> str:
    return display_text(
        tr(
            "It may reach {hosts}, and send there what it is told and what it can read of the lane.",
            hosts=", ".join(row.hook.network),
        )
    )


def _match_words(match: HookMatch) -> str:
    parts = [tr("the tool {tool}", tool=match.tool)] if match.tool else []
    parts += [tr("calls of the kind {kind}", kind=match.kind)] if match.kind else []
    parts += [tr("commands that begin with {words}", words=" ".join(match.tokens))] if match.tokens else []
    parts += [tr("paths {pattern}", pattern=match.glob)] if match.glob else []
    return display_text(", ".join(parts))
