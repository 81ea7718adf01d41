"""SlashRunner: runs what is typed after `/`: commands of the window, of the chat, and those from Markdown files."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent

from desktop.domain.chats.commands import ClearContext, Compact, LoadInstructions, TrustCommands
from desktop.domain.chats.updates import InstructionsListed, SlashCommand
from desktop.domain.commands import RenameSession, SetModel
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.display.text import display_text
from desktop.domain.events import ThinkingLevel
from desktop.domain.guests.values import GuestSlash
from desktop.language import tr
from desktop.ui.chats.book import ChatFacts
from desktop.ui.chats.commands import ChatCommands
from desktop.ui.chats.composer.composer import Composer
from desktop.ui.chats.composer.slash_commands import SlashSpec, Typed, matching, offered, typed, typing
from desktop.ui.chats.composer.slash_popup import SlashPopup
from desktop.ui.chats.server_prompts import PromptDialog, ServerPrompt, ServerPrompts
from desktop.ui.core.actions import ActionSpec
from desktop.ui.core.hearing import Hearing
from desktop.ui.widgets.dialogs.ask import Question, ask_first
from desktop.ui.widgets.pick_list import PickItem

_MODES = {"plan": PermissionMode.PLAN, "edit": PermissionMode.EDIT, "full-auto": PermissionMode.FULL_AUTO}
_PAGES = {"rules": "permissions", "skills": "skills", "agents": "skills", "mcp": "mcp"}
"""Commands that show a page of the settings."""
OF_OUR_LOOP = ("compact", "clear", "effort")
"""What an agent of others sees to itself."""
_LEVELS: dict[str, ThinkingLevel] = {"off": "off", "low": "low", "medium": "medium", "high": "high"}


class SlashRunner(QObject):
    """`take` is asked of every text that is to be sent. `facts`: of the chat on screen, None where it is a new one.

    `action_asked`: the id of an action; `mode_asked`: a mode; `settings_asked`: a page; `memory_asked`: what to do with
    the memory, and words; `problem`: a sentence over the composer, "" takes it away; `message`: a text to be sent;
    `pictured`: the id of a server, and pictures that go with its prompt; `done`: a command ran, the composer may be
    emptied.
    """

    action_asked = Signal(str)
    mode_asked = Signal(str)
    settings_asked = Signal(str)
    memory_asked = Signal(str, str)
    problem = Signal(str)
    message = Signal(str)
    pictured = Signal(str, object)
    done = Signal()

    def __init__(
        self,
        composer: Composer,
        commands: ChatCommands,
        facts: Callable[[], ChatFacts | None],
        actions: Sequence[ActionSpec],
    ) -> None:
        """`actions`: those of the window."""
        super().__init__(composer)
        self._actions = {spec.id: spec for spec in actions}
        self._composer, self._commands, self._facts = composer, commands, facts
        self._listed: dict[str, InstructionsListed] = {}
        self._warned = ""
        self._prompts = ServerPrompts()
        self.hearing = Hearing(self._prompts.hearing).on(InstructionsListed, self._on_listed)
        self.popup = SlashPopup(composer)
        self.popup.picked.connect(self._on_picked)
        composer.text.focus_changed.connect(self._on_focus)

    def _on_listed(self, update: InstructionsListed) -> None:
        """The commands that files offer."""
        self._listed[update.session_id] = update
        if self.popup.isVisible():
            self.popup.show_items(self._items(typing(self._composer.text.toPlainText()) or ""))

    def on_text(self, text: str) -> None:
        """What is typed changed: list what fits, or nothing."""
        if text != self._warned:
            self._warned = ""
        begun, facts = typing(text), self._facts()
        if begun == "" and facts is not None and self._commands.on_the_way(facts.session_id) is None:
            self._commands.send(LoadInstructions(session_id=facts.session_id))
        self.popup.show_items(self._items(begun) if begun is not None and self._composer.text.hasFocus() else ())

    def on_key(self, event: QKeyEvent) -> bool:
        """Keys of the open list; True: the field does not get it."""
        if not self.popup.isVisible():
            return False
        key = event.key()
        if key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.popup.step(1 if key == Qt.Key.Key_Down else -1)
        elif key == Qt.Key.Key_Escape:
            self.popup.hide()
        elif key == Qt.Key.Key_Tab:
            self._complete(self.popup.current)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers():
            self._on_picked(self.popup.current)
        else:
            return False
        return True

    def take(self, text: str) -> bool:
        """Run the text if it is a command. True: it is not a message, or the person is asked to look again."""
        command = typed(text)
        if command is None:
            return False
        spec = next((one for one in self._specs() if one.name == command.name), None)
        if spec is not None and (spec.argument or not command.argument):
            return self._run(spec, command)
        from_file = next((one for one in self._from_files() if one.name == command.name), None)
        if from_file is not None:
            return self._must_trust(from_file)
        if command.name in self._of_guest():
            return False
        if (prompt := self._prompts.get(command.name)) is not None and not command.argument:
            return self._fill_in(prompt)
        if spec is not None or command.argument or text == self._warned:
            return False
        self._warned = text
        self.problem.emit(tr("There is no command {command}. Press Enter again to send it as text.", command=text))
        return True

    def _run(self, spec: SlashSpec, command: Typed) -> bool:
        if spec.argument.startswith("{") and not command.argument:
            self.problem.emit(tr("Write what follows: /{name} {argument}", name=spec.name, argument=spec.argument))
            return True
        self.problem.emit("")
        problem = self._act(spec, command.argument)
        if problem:
            self.problem.emit(problem)
        else:
            self.done.emit()
        return True

    def _act(self, spec: SlashSpec, argument: str) -> str:
        """Do it; why it cannot be done, "" if it was."""
        facts = self._facts()
        if spec.action:
            self.action_asked.emit(spec.action)
        elif spec.name in _MODES:
            self.mode_asked.emit(_MODES[spec.name].value)
        elif spec.name in _PAGES:
            self.settings_asked.emit(_PAGES[spec.name])
        elif facts is None:
            return tr("Begin a chat first.")
        else:
            return self._act_in(facts, spec, argument)
        return ""

    def _act_in(self, facts: ChatFacts, spec: SlashSpec, argument: str) -> str:
        """Do what is about the chat on screen; why it cannot be done, "" if it was."""
        if spec.name in ("remember", "memory"):
            self.memory_asked.emit(spec.name, argument)
        elif spec.name == "rename":
            self._commands.send(RenameSession(session_id=facts.session_id, title=argument))
        elif spec.name == "compact":
            self._commands.send(Compact(session_id=facts.session_id, keep=argument))
        elif spec.name == "clear":
            self._commands.send(ClearContext(session_id=facts.session_id))
        elif spec.name == "cost":
            self._composer.meter.open_popup()
        elif spec.name == "effort":
            return self._set_effort(facts, argument)
        return ""

    def _set_effort(self, facts: ChatFacts, argument: str) -> str:
        level = _LEVELS.get(argument.casefold())
        if level is None:
            return tr("Write one of: {levels}.", levels=", ".join(_LEVELS))
        command = SetModel(
            session_id=facts.session_id, endpoint_id=facts.endpoint_id, model=facts.model, thinking=level
        )
        self._commands.send(command)
        return ""

    def _must_trust(self, command: SlashCommand) -> bool:
        """A command from a file is a message, which the engine writes out; a repository's only once it is trusted."""
        facts = self._facts()
        listed = self._listed.get(facts.session_id) if facts is not None else None
        if command.source == "skill" and not command.usable:
            self.problem.emit(
                tr("The skill {name} waits for your review in Settings › Skills.", name=display_text(command.name))
            )
            self.settings_asked.emit("skills")
            return True
        if command.usable or listed is None or not listed.untrusted_sha256:
            return False
        waiting = (one for one in listed.commands if not one.usable and one.source != "skill")
        names = ", ".join(f"/{display_text(one.name)}" for one in waiting)
        question = Question(
            "trust_commands_dialog",
            tr("Use this repository's commands?"),
            tr(
                "The repository brings commands of its own: {names}. Each sends the text of its file as "
                "your message. Your word holds for exactly these files.",
                names=names,
            ),
            (tr("Not now"), "trust_commands_no"),
            (tr("Use them"), "trust_commands_yes"),
            dangerous=False,
        )
        trust = TrustCommands(session_id=listed.session_id, sha256=listed.untrusted_sha256)
        ask_first(question, self._composer, lambda: self._commands.send(trust))
        return True

    def _fill_in(self, prompt: ServerPrompt) -> bool:
        """A prompt of a server is put into the message, and sent by the person."""
        facts = self._facts()
        session_id = facts.session_id if facts is not None else ""
        dialog = PromptDialog(prompt, session_id, self._commands.requests, self._composer)
        dialog.filled.connect(self._composer.replace_text)
        dialog.pictured.connect(self.pictured)
        dialog.open()
        return True

    def _specs(self) -> tuple[SlashSpec, ...]:
        facts = self._facts()
        running, guest = facts is not None and facts.turn_running, facts is not None and bool(facts.guest_id)
        left = {*(() if running else ("stop",)), *(OF_OUR_LOOP if guest else ())}
        return tuple(one for one in offered(facts is not None, self._actions) if one.name not in left)

    def _of_guest(self) -> dict[str, GuestSlash]:
        """The commands of the agent of this chat, which are sent to it as text."""
        facts = self._facts()
        guest = facts.guest if facts is not None else None
        return {one.name: one for one in guest.commands} if guest is not None else {}

    def _from_files(self) -> tuple[SlashCommand, ...]:
        facts = self._facts()
        listed = self._listed.get(facts.session_id) if facts is not None else None
        return listed.commands if listed is not None else ()

    def _items(self, begun: str) -> list[PickItem]:
        own = {spec.name: self._item(spec) for spec in self._specs()}
        files = {one.name: _file_item(one) for one in self._from_files() if one.name not in own}
        return (
            [own[name] for name in matching(begun, list(own))]
            + [files[name] for name in matching(begun, list(files))]
            + [item for item in self._prompts.items(begun) if item.key not in {*own, *files}]
            + self._guest_items(begun, {*own, *files})
        )

    def _guest_items(self, begun: str, taken: set[str]) -> list[PickItem]:
        """Those of the agent, below ours, which win where both have a name (guests-A47)."""
        facts, known = self._facts(), self._of_guest()
        label = display_text(facts.guest.label) if facts is not None and facts.guest is not None else ""
        return [_guest_item(known[name], label) for name in matching(begun, [one for one in known if one not in taken])]

    def _complete(self, name: str) -> None:
        """Write the name, and a blank where something may follow."""
        spec = next((one for one in self._specs() if one.name == name), None)
        follows = spec.argument if spec is not None else True
        self._composer.replace_text(f"/{name}{' ' if follows else ''}")
        self.popup.hide()

    def _on_picked(self, name: str) -> None:
        """Run the entry; one that needs more is written out first."""
        spec = next((one for one in self._specs() if one.name == name), None)
        if spec is not None and spec.argument.startswith("{"):
            self._complete(name)
            return
        self.popup.hide()
        if not self.take(f"/{name}"):
            self.message.emit(f"/{name}")

    def _item(self, spec: SlashSpec) -> PickItem:
        argument = f" {spec.argument}" if spec.argument else ""
        action = self._actions.get(spec.action)
        keys, icon = (action.key_text, action.icon) if action is not None else ("", "")
        return PickItem(spec.name, f"/{spec.name}{argument}", spec.meaning, keys, icon or spec.icon)

    def _on_focus(self, focused: bool) -> None:
        if not focused:
            self.popup.hide()


def _guest_item(command: GuestSlash, label: str) -> PickItem:
    words = " · ".join(filter(None, (command.warning or command.about, tr("of {agent}", agent=label))))
    return PickItem(command.name, f"/{display_text(command.name)}", display_text(words), icon="bot")


def _file_item(command: SlashCommand) -> PickItem:
    meaning = display_text(" ".join(command.description.split())) or display_text(command.path)
    waits = tr("waits for your review") if command.source == "skill" else tr("not trusted yet")
    shown = meaning if command.usable else f"{meaning} ({waits})"
    icon = "book-open" if command.source == "skill" else "file-text"
    return PickItem(command.name, f"/{display_text(command.name)}", shown, icon=icon)
