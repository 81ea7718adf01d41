"""HookBook: the hooks of a person and of a repository, and which of them run (guests-H1)."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from pathlib import Path

from desktop.agent.core.session import Session
from desktop.config.folders import Folders
from desktop.domain.hooks.values import Hook, HookMoment, HookScope
from desktop.records import dataclass
from desktop.services.hooks.file import HookFault, parse_hooks
from desktop.services.hooks.scripts import HOOKS_FILE, ScriptCopies, bound_files
from desktop.store.gate.rule_file import FileFault, read_bytes
from desktop.store.gate.trust import ContentTrust, content_sha256

REPOSITORY_FILE = f".banksman/{HOOKS_FILE}"
Stamps = tuple[tuple[str, int, int, int, int], ...]


@dataclass(frozen=True)
class FoundHooks:
    """A file of hooks with what they run, as it is now. `sha256`: of all `contents`, "" without a file; `trusted`: it
    runs as it is; `problem`: why it cannot be used at all."""

    scope: HookScope
    path: Path
    hooks: tuple[Hook, ...] = ()
    contents: Mapping[str, bytes] = field(default_factory=dict)
    sha256: str = ""
    trusted: bool = True
    problem: str = ""

    @property
    def waits(self) -> bool:
        """Whether it waits for a person, so that none of it runs."""
        return bool(self.sha256) and not self.trusted


@dataclass(frozen=True)
class BoundHook:
    """A hook that runs, and the file that describes it."""

    hook: Hook
    file: FoundHooks

    @property
    def scope(self) -> HookScope:
        """Whose it is."""
        return self.file.scope


class HookBook:
    """Looks at the two files whenever it is asked; what did not change is not read again. `off`: the hooks that the
    person switched off, by `switch_name`."""

    def __init__(self, folders: Folders, off: Callable[[], tuple[str, ...]]) -> None:
        self.copies = ScriptCopies(folders.data)
        self.trust = {
            "person": ContentTrust(folders.data, "own-hooks"),
            "repository": ContentTrust(folders.data, "hooks"),
        }
        self.own_file = folders.config / HOOKS_FILE
        self._off = off
        self._read: dict[Path, tuple[Stamps, FoundHooks]] = {}

    def found(self, project_id: str, checkout: Path | None) -> tuple[FoundHooks, ...]:
        """The files that there are, the person's first. Blocking (a moment)."""
        places: list[tuple[HookScope, Path]] = [("person", self.own_file)]
        if checkout is not None:
            places.append(("repository", checkout / REPOSITORY_FILE))
        return tuple(self._found(scope, path, project_id, checkout) for scope, path in places if path.exists())

    def is_there(self, checkout: Path | None) -> bool:
        """Whether there is a file of hooks. Two looks at the disk."""
        return self.own_file.exists() or (checkout is not None and (checkout / REPOSITORY_FILE).exists())

    def is_off(self, scope: HookScope, project_id: str, hook_id: str) -> bool:
        """Whether the person switched it off."""
        return switch_name(scope, project_id, hook_id) in self._off()

    def of(self, session: Session, moment: HookMoment) -> tuple[BoundHook, ...]:
        """The hooks of a chat that run at this moment, in order. Without a file this is two looks at the disk."""
        state = session.state
        checkout = Path(state.project_path) if state.project_path else None
        found = self.found(state.project_id, checkout)
        return tuple(bound for file in found for bound in self._running(file, state.project_id, moment))

    def problem(self, session: Session) -> str:
        """Why the person's own hooks cannot be used, "" if they can: what they would stop is asked about then."""
        state = session.state
        checkout = Path(state.project_path) if state.project_path else None
        own = (file for file in self.found(state.project_id, checkout) if file.scope == "person")
        return next((f"{file.path.name}: {file.problem}" for file in own if file.problem), "")

    def _running(self, file: FoundHooks, project_id: str, moment: HookMoment) -> Iterator[BoundHook]:
        if file.trusted and not file.problem:
            for hook in file.hooks:
                if hook.on == moment and not self.is_off(file.scope, project_id, hook.id):
                    yield BoundHook(hook, file)

    def _found(self, scope: HookScope, path: Path, project_id: str, checkout: Path | None) -> FoundHooks:
        stamps, known = self._read.get(path, ((), None))
        if known is None or known.problem or stamps != _stamps(path, known, checkout):
            known = _read(scope, path, checkout)
            self._read[path] = (_stamps(path, known, checkout), known)
        if known.problem:
            return known
        free = scope == "person" and all(Path(name).is_absolute() for name in known.contents if name != HOOKS_FILE)
        trusted = free or self.trust[scope].is_trusted(project_id, known.sha256)
        return FoundHooks(scope, path, known.hooks, known.contents, known.sha256, trusted)


def switch_name(scope: HookScope, project_id: str, hook_id: str) -> str:
    """Under which name the settings keep that a hook is off."""
    return f"person:{hook_id}" if scope == "person" else f"{project_id}:{hook_id}"


def _read(scope: HookScope, path: Path, checkout: Path | None) -> FoundHooks:
    try:
        content = read_bytes(path)
        if content is None:
            return FoundHooks(scope, path)
        hooks = parse_hooks(content)
        contents = {HOOKS_FILE: content, **bound_files(hooks, checkout)}
    except (FileFault, HookFault) as fault:
        return FoundHooks(scope, path, problem=str(fault))
    return FoundHooks(scope, path, hooks, contents, content_sha256(contents))


def _stamps(path: Path, known: FoundHooks, checkout: Path | None) -> Stamps:
    """What tells that none of these files was changed, nor one added beside the scripts or where a command names it."""
    contents = dict.fromkeys([*known.contents, *(word for hook in known.hooks for word in hook.command if word)])
    folder = checkout / ".banksman" / "hooks" if checkout is not None else path.parent
    below = (one for one in sorted(folder.rglob("*"))) if checkout is not None and len(known.contents) > 1 else iter(())
    root = checkout if checkout is not None else path.parent
    named = (
        Path(name) if Path(name).is_absolute() else root / name
        for name in contents
        if name != HOOKS_FILE and "\0" not in name
    )
    stamps: list[tuple[str, int, int, int, int]] = []
    for one in dict.fromkeys((path, *named, *below)):
        try:
            facts = one.stat()
        except OSError:
            continue
        stamps.append((str(one), facts.st_mtime_ns, facts.st_ctime_ns, facts.st_size, facts.st_ino))
    return tuple(stamps)
