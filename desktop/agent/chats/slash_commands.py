"""SlashCommands: the commands of the person and of a repository, trusted by content, and what a call of one sends."""

from pathlib import Path

from desktop.agent.core.session import Session
from desktop.domain.chats.slash import BUILT_IN, called_command, expand_body, parse_slash_file
from desktop.domain.chats.updates import SlashCommand
from desktop.domain.core.errors import CommandError
from desktop.domain.core.listeners import Voices
from desktop.records import dataclass
from desktop.services.context.instruction_files import REPOSITORY_COMMANDS, read_lane_commands, read_own_commands
from desktop.store.gate.trust import ContentTrust, content_sha256


@dataclass(frozen=True)
class FoundCommands:
    """`commands`: by name; `untrusted_sha256`: the repository's content that waits for trust, "" if none; `problems`:
    why a file gives no command, sentences."""

    commands: tuple[SlashCommand, ...] = ()
    untrusted_sha256: str = ""
    problems: tuple[str, ...] = ()


class SlashCommands:
    """`own`: the person's folder of settings. Files are read when they are asked for. `others` have further commands,
    whose bodies are empty: `sent_by_others` gives what such a one sends, for its name and what was typed after it."""

    def __init__(self, own: Path, trust: ContentTrust) -> None:
        self._own = own
        self._trust = trust
        self.others = Voices[[Session], tuple[SlashCommand, ...]]()
        self.sent_by_others = Voices[[Session, str, str], str]()

    def found(self, session: Session) -> FoundCommands:
        """All commands of this chat. The person's own stand before the repository's of the same name."""
        own = read_own_commands(self._own)
        shared = read_lane_commands(session.files) if session.files is not None else {}
        sha256 = content_sha256(shared)
        trusted = self._trust.is_trusted(session.state.project_id, sha256)
        commands: dict[str, SlashCommand] = {}
        problems: list[str] = []
        for name, content in own.items():
            parsed = parse_slash_file(name, content)
            path = str(self._own / "commands" / f"{name}.md")
            if parsed.problem:
                problems.append(parsed.problem)
            else:
                commands[name] = SlashCommand(
                    name=name, description=parsed.description, path=path, body=parsed.body, source="user"
                )
        for name, content in shared.items():
            parsed = parse_slash_file(name, content)
            if parsed.problem or name in commands:
                taken = f"{name}.md: your own /{name} is used, not that of the repository."
                problems.append(parsed.problem or taken)
                continue
            commands[name] = SlashCommand(
                name=name,
                description=parsed.description,
                path=f"{REPOSITORY_COMMANDS}/{name}.md",
                body=parsed.body,
                source="repository",
                usable=trusted,
            )
        waits = any(not command.usable for command in commands.values())
        for command in (one for told in self.others(session) for one in told):
            if command.name in BUILT_IN or command.name in commands:
                winner = "built in" if command.name in BUILT_IN else f"the command of {commands[command.name].path}"
                problems.append(f"{command.path}: /{command.name} is {winner}, so it is no slash command.")
            else:
                commands[command.name] = command
        ordered = tuple(commands[name] for name in sorted(commands))
        return FoundCommands(ordered, sha256 if waits else "", tuple(problems))

    def trust(self, session: Session, sha256: str) -> None:
        """Let the repository's commands be used, for exactly this content.

        Raises:
            CommandError: their content is another one by now.
        """
        shared = read_lane_commands(session.files) if session.files is not None else {}
        if not shared or content_sha256(shared) != sha256:
            raise CommandError("commands_changed", "The commands changed meanwhile. Look at them again.")
        self._trust.trust(session.state.project_id, sha256)

    def expand(self, session: Session, text: str) -> tuple[str, str]:
        """What is sent for what the person typed, and what they typed; ("text itself", "") for ordinary text.

        Raises:
            CommandError: it calls a command of the repository that nobody trusted, or a skill that cannot be loaded.
        """
        called = called_command(text)
        if called is None:
            return text, ""
        name, arguments = called
        command = next((one for one in self.found(session).commands if one.name == name), None)
        if command is None:
            return text, ""
        if command.source == "skill":
            return next(self.sent_by_others(session, name, arguments)), text.strip()
        if not command.usable:
            raise CommandError(
                "untrusted_command", f"/{name} comes from the repository. Look at its commands and trust them first."
            )
        return expand_body(command.body, arguments), text.strip()
