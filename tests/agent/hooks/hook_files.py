"""Files of hooks for tests."""

from pathlib import Path

from desktop.config.folders import Folders
from desktop.domain.hooks.commands import LoadHooks, TrustHooks
from desktop.domain.hooks.updates import HooksLoaded
from tests.agent.rig import Rig


def hook(script: str, *more: str, on: str = "before_call", name: str = "check") -> str:
    """A hook that runs `script` in a shell, with more lines of its table."""
    return "\n".join(["[[hook]]", f'id = "{name}"', f'on = "{on}"', f"command = '''\n{script}'''", *more, ""])


def own_hooks(folders: Folders, *hooks: str) -> Path:
    """The person's file."""
    folders.config.mkdir(parents=True, exist_ok=True)
    file = folders.config / "hooks.toml"
    file.write_text("\n".join(hooks), encoding="utf-8")
    return file


def shared_hooks(repository: Path, *hooks: str, **scripts: str) -> Path:
    """The file of a repository, with scripts beside it by their names without `.sh`."""
    folder = repository / ".banksman" / "hooks"
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in scripts.items():
        (folder / f"{name}.sh").write_text(text, encoding="utf-8")
    file = folder.parent / "hooks.toml"
    file.write_text("\n".join(hooks), encoding="utf-8")
    return file


async def loaded(rig: Rig) -> HooksLoaded:
    """All hooks as Settings is told of them."""
    await rig.engine.handle(LoadHooks())
    return next(update for update in reversed(rig.updates) if isinstance(update, HooksLoaded))


async def trusted(rig: Rig) -> HooksLoaded:
    """All files as they are trusted."""
    for file in (await loaded(rig)).files:
        if file.waits:
            await rig.engine.handle(TrustHooks(scope=file.scope, sha256=file.sha256))
    return await loaded(rig)
