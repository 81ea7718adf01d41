"""General: how chats begin, what Enter does, what waits and what stops by itself, where lanes are."""

import shlex
from functools import partial

from pydantic import ValidationError
from PySide6.QtWidgets import QWidget

from desktop.domain.core.permissions import PermissionMode
from desktop.domain.memory.values import OwnWords
from desktop.language import tr
from desktop.ui.settings.fields import ChoiceField, TextField
from desktop.ui.settings.limits import LimitFields
from desktop.ui.settings.page import SettingsPage
from desktop.ui.settings.reasons import reason
from desktop.ui.settings.saver import SettingsSaver
from desktop.ui.text.modes import mode_words

_MODES = (PermissionMode.PLAN, PermissionMode.EDIT)
_SENDS, _BREAKS = "send", "line"
_YES, _NO = "yes", "no"
_NARROW = 72


_DEPTHS = (tr("One level"), tr("Two levels"), tr("Three levels"))


class GeneralPage(SettingsPage):
    """Default mode, Enter, queued messages, turns at once, checkpoints, limits, lanes folder, programs, proofs."""

    name, title, icon = "general", tr("General"), "sliders-horizontal"

    def __init__(self, saver: SettingsSaver, parent: QWidget) -> None:
        super().__init__(parent)
        self._saver = saver
        self._mode = ChoiceField(
            tr("Mode of new chats"),
            "settings_general_mode",
            [(mode.value, mode_words(mode)) for mode in _MODES],
            self.contents,
            tr("In Plan nothing is changed. Full auto is chosen chat by chat."),
        )
        self._enter = ChoiceField(
            tr("Enter key"),
            "settings_general_enter",
            [(_SENDS, tr("Sends")), (_BREAKS, tr("New line"))],
            self.contents,
            tr("Ctrl+Enter always sends, Shift+Enter always starts a new line."),
        )
        self._lanes = TextField(
            tr("Folder of lanes"),
            "settings_general_lanes_root",
            self.contents,
            tr("Each lane is a folder with its own branch. Counts from the next start, for new lanes."),
        )
        self._lanes.edit.setPlaceholderText(tr("The usual folder of this system"))
        self._rebase = ChoiceField(
            tr("Update lanes"),
            "settings_general_auto_rebase",
            [(_NO, tr("When I say so")), (_YES, tr("By themselves"))],
            self.contents,
            tr(
                "From their base. By themselves: when it moves, if all is committed, no agent works there and no open "
                "pull request shows the commits."
            ),
        )
        self._queued = ChoiceField(
            tr("Deliver queued messages"),
            "settings_general_queued",
            [("after_step", tr("After the current step")), ("after_turn", tr("After the turn"))],
            self.contents,
            tr("What you send while the agent works waits until then."),
        )
        self._at_once = TextField(
            tr("Turns at once"),
            "settings_general_turns_at_once",
            self.contents,
            tr("1 to 16 chats work at the same time."),
        )
        self._at_once.keep_narrow(_NARROW)
        self._agents = ChoiceField(
            tr("Sub-agents"),
            "settings_general_subagents",
            [("0", tr("Off")), *((str(depth), words) for depth, words in enumerate(_DEPTHS, start=1))],
            self.contents,
            tr("How deep agents may begin others that work for them."),
        )
        self._checkpoint = ChoiceField(
            tr("Checkpoints"),
            "settings_general_checkpoint",
            [(_NO, tr("When possible")), (_YES, tr("Required"))],
            self.contents,
            tr("Required: a call that changes files does not run when they could not be kept first."),
        )
        self._risky = ChoiceField(
            tr("Risky commands"),
            "settings_general_try_risky",
            [(_NO, tr("Tried when I say so")), (_YES, tr("Tried at once"))],
            self.contents,
            tr("In a copy of the lane, without the network, as soon as their card is open."),
        )
        first = (self._mode, self._enter, self._queued, self._at_once, self._agents, self._checkpoint, self._risky)
        for field in first:
            self.column.addWidget(field)
        self._limits = LimitFields(saver, self.contents, self.column)
        self._shell = TextField(
            tr("Shell of terminals"),
            "settings_general_shell",
            self.contents,
            tr("Counts for terminals that are opened next."),
        )
        self._shell.edit.setPlaceholderText(tr("Your own shell"))
        self._editor = TextField(
            tr("Editor"),
            "settings_general_editor",
            self.contents,
            tr("A command with {path} and {line}, such as: code --goto {path}:{line}"),
        )
        self._editor.edit.setPlaceholderText(tr("One that is found"))
        self._proofs = ChoiceField(
            tr("Pictures and proofs"),
            "settings_general_computer_use",
            [(_YES, tr("On")), (_NO, tr("Off"))],
            self.contents,
            tr("Agents may capture pages and windows of their lane and attach files. Anything else on screen asks."),
        )
        self._memory = ChoiceField(
            tr("Memory"),
            "settings_general_memory",
            [(_YES, tr("On")), (_NO, tr("Off"))],
            self.contents,
            tr("Agents remember, and what was remembered is looked up before a turn that needs it."),
        )
        self._memory_search = ChoiceField(
            tr("Memory before changes"),
            "settings_general_memory_search",
            [(_NO, tr("Banksman searches")), (_YES, tr("Agents must search"))],
            self.contents,
        )
        self._embeddings = TextField(
            tr("Order of what is found"),
            "settings_general_memory_embeddings",
            self.contents,
            tr(
                "A service of yours and a model of it for embeddings, such as: openai text-embedding-3-small. Searches "
                "and what they find are sent there. Empty: by words alone."
            ),
        )
        self._changing = self._words(
            "changes",
            tr("Words for changes"),
            tr("These words too mean that a prompt of this repository changes something."),
        )
        self._asking = self._words(
            "asks", tr("Words for questions"), tr("These mean that the memory is looked up first.")
        )
        self._browser = TextField(
            tr("Browser for pictures"),
            "settings_general_browser",
            self.contents,
            tr("A Chromium that works without a window."),
        )
        self._browser.edit.setPlaceholderText(tr("One that is found"))
        for field in (self._lanes, self._rebase, self._shell, self._editor, self._proofs, self._browser, self._memory):
            self.column.addWidget(field)
        for words in (self._memory_search, self._embeddings, self._changing, self._asking):
            self.column.addWidget(words)
        self._mode.chosen.connect(self._on_mode)
        self._enter.chosen.connect(self._on_enter)
        self._lanes.entered.connect(self._on_lanes)
        self._rebase.chosen.connect(self._on_rebase)
        self._shell.entered.connect(self._on_shell)
        self._editor.entered.connect(self._on_editor)
        self._proofs.chosen.connect(self._on_proofs)
        self._browser.entered.connect(self._on_browser)
        self._memory.chosen.connect(self._on_memory)
        self._memory_search.chosen.connect(self._on_memory_search)
        self._embeddings.entered.connect(self._on_embeddings)
        self._queued.chosen.connect(self._on_queued)
        self._at_once.entered.connect(self._on_at_once)
        self._agents.chosen.connect(self._on_agents)
        self._checkpoint.chosen.connect(self._on_checkpoint)
        self._risky.chosen.connect(self._on_risky)
        saver.changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show the settings."""
        settings = self._saver.settings
        self._mode.set_value(settings.default_mode.value)
        self._enter.set_value(_SENDS if settings.enter_sends else _BREAKS)
        self._lanes.set_value(settings.lanes_root)
        self._rebase.set_value(_YES if settings.auto_rebase else _NO)
        self._shell.set_value(settings.shell)
        self._editor.set_value(shlex.join(settings.editor))
        self._proofs.set_value(_YES if settings.computer_use else _NO)
        self._browser.set_value(settings.browser)
        self._memory.set_value(_YES if settings.memory else _NO)
        self._memory_search.set_value(_YES if settings.memory_agents_search else _NO)
        self._memory_search.setVisible(settings.memory)
        self._embeddings.set_value(settings.memory_embeddings)
        self._embeddings.setVisible(settings.memory)
        own = settings.words_of(self._project)
        for field, words in ((self._changing, own.changes), (self._asking, own.asks)):
            field.set_value(", ".join(words))
            field.setVisible(settings.memory and bool(self._project))
        self._queued.set_value(settings.deliver_queued)
        self._at_once.set_value(str(settings.turns_at_once))
        self._agents.set_value(str(settings.subagent_depth) if settings.subagents else "0")
        self._checkpoint.set_value(_YES if settings.require_checkpoint else _NO)
        self._risky.set_value(_YES if settings.try_risky else _NO)
        self._limits.refresh()

    @property
    def _project(self) -> str:
        project = self._saver.facts.project
        return project.path if project is not None else ""

    def _words(self, which: str, label: str, help_text: str) -> TextField:
        """A field for words of the open repository, with commas between them."""
        field = TextField(label, f"settings_general_memory_{which}", self.contents, help_text)
        field.entered.connect(partial(self._on_words, field, which))
        return field

    def _on_words(self, field: TextField, which: str, text: str) -> None:
        own = self._saver.settings.words_of(self._project)
        values = own.model_dump() | {"project": self._project, which: tuple(text.split(","))}
        try:
            words = OwnWords.model_validate(values)
        except ValidationError as error:
            field.set_problem(reason(error))
            return
        self._saver.change(field, memory_words=self._saver.settings.with_words(words))

    def _on_mode(self, mode: str) -> None:
        self._saver.change(self._mode, default_mode=PermissionMode(mode))

    def _on_enter(self, choice: str) -> None:
        self._saver.change(self._enter, enter_sends=choice == _SENDS)

    def _on_lanes(self, path: str) -> None:
        self._saver.change(self._lanes, lanes_root=path)

    def _on_rebase(self, choice: str) -> None:
        self._saver.change(self._rebase, auto_rebase=choice == _YES)

    def _on_shell(self, path: str) -> None:
        self._saver.change(self._shell, shell=path)

    def _on_editor(self, command: str) -> None:
        self._saver.change(self._editor, editor=command)

    def _on_proofs(self, choice: str) -> None:
        self._saver.change(self._proofs, computer_use=choice == _YES)

    def _on_memory(self, choice: str) -> None:
        self._saver.change(self._memory, memory=choice == _YES)

    def _on_memory_search(self, choice: str) -> None:
        self._saver.change(self._memory_search, memory_agents_search=choice == _YES)

    def _on_embeddings(self, text: str) -> None:
        self._saver.change(self._embeddings, memory_embeddings=text)

    def _on_browser(self, path: str) -> None:
        self._saver.change(self._browser, browser=path.strip())

    def _on_queued(self, choice: str) -> None:
        self._saver.change(self._queued, deliver_queued=choice)

    def _on_at_once(self, text: str) -> None:
        self._saver.change(self._at_once, turns_at_once=text.strip())

    def _on_agents(self, depth: str) -> None:
        deep = int(depth)
        changes = {"subagents": True, "subagent_depth": deep} if deep else {"subagents": False}
        self._saver.change(self._agents, **changes)

    def _on_checkpoint(self, choice: str) -> None:
        self._saver.change(self._checkpoint, require_checkpoint=choice == _YES)

    def _on_risky(self, choice: str) -> None:
        self._saver.change(self._risky, try_risky=choice == _YES)
