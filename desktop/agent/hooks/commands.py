"""HookCommands: what people do with hooks: look at them, trust them, switch one off (guests-H8)."""

import asyncio
import difflib
from collections.abc import Callable, Iterator
from pathlib import Path

from desktop.agent.core.commands import Handler
from desktop.agent.core.session import Publish, Session
from desktop.agent.hooks.book import REPOSITORY_FILE, BoundHook, FoundHooks, switch_name
from desktop.agent.hooks.imports import take_over
from desktop.agent.hooks.runner import HookRunner
from desktop.agent.hooks.tries import HookTries
from desktop.agent.lanes.project_log import ProjectLog
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.domain.core.command import Command
from desktop.domain.core.errors import CommandError
from desktop.domain.core.work import Project
from desktop.domain.hooks import commands as c
from desktop.domain.hooks.events import HooksTrusted
from desktop.domain.hooks.updates import HookFile, HookRow, HooksImported, HooksLoaded, HooksWait, HookTried
from desktop.services.hooks.scripts import HOOKS_FILE

SHOWN_RUNS = 3


class HookCommands:
    """All on the engine thread; files are read on worker threads."""

    def __init__(
        self,
        runner: HookRunner,
        settings: SettingsKeeper,
        log: ProjectLog,
        publish: Publish,
        project: Callable[[], Project | None],
        opened: Callable[[], list[Session]],
    ) -> None:
        self._runner = runner
        self._book = runner.book
        self._settings = settings
        self._log = log
        self._publish = publish
        self._project = project
        self._opened = opened
        self._tries = HookTries(runner)
        self._told: tuple[str, ...] = ()

    def handlers(self) -> dict[type[Command], Handler]:
        """The commands about hooks."""
        return {
            c.LoadHooks: self._load,
            c.TrustHooks: self._trust,
            c.SwitchHook: self._switch,
            c.TryHook: self._try,
            c.ImportHooks: self._import,
        }

    async def _load(self, command: c.LoadHooks) -> None:
        await self._tell(command.command_id)

    async def _trust(self, command: c.TrustHooks) -> None:
        project = self._project()
        if project is None:
            raise CommandError("no_project", "Open a repository first.")
        found = await asyncio.to_thread(self._files)
        file = next((one for one in found if (one.scope, one.sha256) == (command.scope, command.sha256)), None)
        if file is None or not file.sha256:
            raise CommandError("hooks_changed", "The hooks changed meanwhile. Look at them again.")
        try:
            await asyncio.to_thread(self._book.copies.keep, file.sha256, file.contents)
        except OSError as error:
            raise CommandError("hooks", f"They were not trusted: {error.strerror or error}.") from error
        names = tuple(hook.id for hook in file.hooks)
        self._log.append(HooksTrusted(path=_place(file), sha256=file.sha256, hooks=names))
        self._book.trust[file.scope].trust(project.id, file.sha256)
        await self._tell(command.command_id)

    async def _switch(self, command: c.SwitchHook) -> None:
        project = self._project()
        name = switch_name(command.scope, project.id if project is not None else "", command.hook_id)
        self._settings.switch_hook(name, on=command.on)
        await self._tell(command.command_id)

    async def _try(self, command: c.TryHook) -> None:
        project = self._project()
        found = [file for file in await asyncio.to_thread(self._files) if file.scope == command.scope]
        bound = next((BoundHook(one, file) for file in found for one in file.hooks if one.id == command.hook_id), None)
        if bound is None or not bound.file.trusted:
            raise CommandError("hooks", "This hook is not there any more, or is not trusted as it is.")
        here = [one for one in self._opened() if project is None or one.state.project_id == project.id]
        words, call = await self._tries.tried(bound, sorted(here, key=lambda one: one.last_at, reverse=True))
        self._publish(HookTried(hook_id=command.hook_id, call=call, words=words, command_id=command.command_id))

    async def _import(self, command: c.ImportHooks) -> None:
        own = self._book.own_file
        text, others = await asyncio.to_thread(take_over, command.place, own, save=command.save)
        self._publish(HooksImported(text=text, others=others, saved=command.save, command_id=command.command_id))

    async def _tell(self, command_id: str) -> None:
        found = await asyncio.to_thread(self._files)
        self._publish(
            HooksLoaded(
                hooks=tuple(row for file in found for row in self._rows(file)),
                files=tuple([await asyncio.to_thread(self._file, file) for file in found]),
                folder=str(self._book.own_file.parent),
                command_id=command_id,
            )
        )
        self.tell_waiting()

    def tell_waiting(self) -> None:
        """Tell the windows which files wait for a person, unless they know."""
        told = tuple(_sentences(self._files()))
        if told != self._told:
            self._told = told
            self._publish(HooksWait(sentences=told))

    def _files(self) -> tuple[FoundHooks, ...]:
        project = self._project()
        if project is None:
            return self._book.found("", None)
        return self._book.found(project.id, Path(project.path))

    def _rows(self, file: FoundHooks) -> Iterator[HookRow]:
        project = self._project()
        for hook in file.hooks:
            project_id = project.id if project is not None else ""
            name, past = switch_name(file.scope, project_id, hook.id), self._runner.past
            yield HookRow(
                hook=hook,
                scope=file.scope,
                on=not self._book.is_off(file.scope, project_id, hook.id),
                runs=file.trusted,
                last=tuple(past.newest(name, SHOWN_RUNS)),
                slow=past.is_slow(name),
            )

    def _file(self, file: FoundHooks) -> HookFile:
        return HookFile(
            scope=file.scope,
            path=_place(file),
            problem=file.problem,
            waits=file.waits,
            sha256=file.sha256,
            files=tuple(sorted(name for name in file.contents if name != HOOKS_FILE)),
            hosts=tuple(dict.fromkeys(host for hook in file.hooks for host in hook.network)),
            difference=self._difference(file) if file.waits else "",
        )

    def _difference(self, file: FoundHooks) -> str:
        """What differs from the content that was trusted last; all of it the first time."""
        project = self._project()
        last = self._book.trust[file.scope].last(project.id if project is not None else "")
        before = self._book.copies.kept(last) if last else {}
        now = self._book.copies.named(file.contents)
        lines: list[str] = []
        for name in sorted(before | now):
            old, new = before.get(name, "").splitlines(), now.get(name, "").splitlines()
            shown = name.removeprefix("here/").replace("outside/", "/", 1)
            lines += difflib.unified_diff(
                old, new, f"{shown} {'as trusted' if last else ''}".rstrip(), shown, lineterm=""
            )
        return "\n".join(lines)


def _place(file: FoundHooks) -> str:
    return REPOSITORY_FILE if file.scope == "repository" else str(file.path)


def _sentences(found: tuple[FoundHooks, ...]) -> Iterator[str]:
    for file in found:
        if file.problem:
            yield f"{_place(file)} cannot be used: {file.problem}."
        elif file.waits:
            yield f"The hooks of {_place(file)} do not run: nobody trusts them as they are."
