"""The files that hooks run, bound with their file: what a person trusted is copied, and the copies are what runs, so
that nothing that changes in a lane changes a hook (guests-H1)."""

import os
import shlex
from collections.abc import Mapping
from pathlib import Path

from desktop.config.private_files import make_private_folder
from desktop.domain.core.ids import new_id
from desktop.domain.hooks.values import Hook
from desktop.services.files.scripts import is_script
from desktop.services.hooks.file import HookFault

HOOKS_FILE = "hooks.toml"
SCRIPTS_FOLDER = ".banksman/hooks"
MOST_FILES = 200
MOST_BYTES = 5 * 1024 * 1024
_SYSTEM = tuple(Path(name) for name in ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/opt", "/nix", "/System", "/dev"))


def bound_files(hooks: tuple[Hook, ...], checkout: Path | None) -> dict[str, bytes]:
    """The files that the commands name, by the words that name them: of the checkout by their place in it, others by
    their whole path; and all that lies beside a script in `.banksman/hooks`. Programs of the system are not among them.

    Raises:
        HookFault: they are too many or too large, a line for the shell names one, or a link leads out of the checkout.
    """
    found: dict[str, Path] = {}
    for hook in hooks:
        named = {word: path for word in _words(hook) if (path := _file(word, checkout)) is not None}
        if named and hook.text:
            raise HookFault(f"hook {hook.id}: write its command as a list of words, as it runs {next(iter(named))}")
        found |= named
    if checkout is not None and any(name.startswith(f"{SCRIPTS_FOLDER}/") for name in found):
        found |= _beside(checkout)
    return _contents(found)


def _words(hook: Hook) -> tuple[str, ...]:
    if not hook.text:
        return hook.command
    try:
        return tuple(shlex.split(hook.text))
    except ValueError:
        return tuple(hook.text.split())


def _file(word: str, checkout: Path | None) -> Path | None:
    """The file that a word names, None where it names none that is bound."""
    path = Path(word)
    if not word or "\0" in word or ".." in path.parts or (checkout is None and not path.is_absolute()):
        return None
    if path.is_absolute():
        return path if path.is_file() and not any(path.is_relative_to(folder) for folder in _SYSTEM) else None
    whole = checkout / path if checkout is not None else path
    return _inner(whole, checkout) if whole.is_file() else None


def _inner(path: Path, checkout: Path | None) -> Path:
    """The file, where it is one of the checkout: a link could have a file of the person copied under its name."""
    if checkout is not None and not path.resolve().is_relative_to(checkout.resolve()):
        raise HookFault(f"{path.relative_to(checkout).as_posix()} leads out of the repository")
    return path


def _beside(checkout: Path) -> dict[str, Path]:
    folder = checkout / SCRIPTS_FOLDER
    files = (_inner(path, checkout) for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(checkout).as_posix(): path for path in files}


def _contents(found: Mapping[str, Path]) -> dict[str, bytes]:
    if len(found) > MOST_FILES:
        raise HookFault(f"its hooks run more than {MOST_FILES} files")
    contents: dict[str, bytes] = {}
    left = MOST_BYTES
    for name, path in found.items():
        try:
            with path.open("rb") as file:
                contents[name] = file.read(left + 1)
        except OSError as error:
            raise HookFault(f"{name} cannot be read: {error.strerror or error}") from error
        left -= len(contents[name])
        if left < 0:
            raise HookFault("its hooks run more than 5 MiB of files")
    return contents


class ScriptCopies:
    """Copies of what hooks run, by digest, below the data folder, where no command of an agent reaches."""

    def __init__(self, data: Path) -> None:
        self._folder = data / "hook-copies"

    def place(self, sha256: str) -> Path:
        """Where the copies of this content stand."""
        return self._folder / sha256

    def keep(self, sha256: str, contents: Mapping[str, bytes]) -> None:
        """Copy the files of a content, once. Blocking. Raises OSError."""
        if self.place(sha256).is_dir():
            return
        make_private_folder(self._folder)
        part = self._folder / f".new-{new_id('')}"
        for name, content in contents.items():
            path = part / _inside(name)
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o700), "wb") as file:
                file.write(content)
        part.rename(self.place(sha256))

    def named(self, contents: Mapping[str, bytes]) -> dict[str, str]:
        """The texts of a content, by the names that `kept` gives them."""
        return {_inside(name).as_posix(): content.decode("utf-8", "replace") for name, content in contents.items()}

    def kept(self, sha256: str) -> dict[str, str]:
        """The texts of a content that was kept, by their names, for a difference; nothing where it is gone."""
        place = self.place(sha256)
        files = (path for path in sorted(place.rglob("*")) if path.is_file())
        return {path.relative_to(place).as_posix(): path.read_text("utf-8", "replace") for path in files}

    def line(self, hook: Hook, sha256: str, contents: Mapping[str, bytes], lane: Path) -> str:
        """The command of a hook as the shell gets it, with copies in the place of what it names, which are made where
        there are none. Blocking.

        Raises:
            OSError: they cannot be made.
            HookFault: it names a script that the lane holds and that is none of those.
        """
        self.keep(sha256, contents)
        place = self.place(sha256)
        words: list[str] = []
        for word in _words(hook):
            copy = place / _inside(word) if word and "\0" not in word and ".." not in Path(word).parts else place
            if not copy.is_file() and not Path(word).is_absolute() and is_script(lane / word):
                raise HookFault(f"{word} is a file of the lane that nobody trusted")
            words.append(str(copy) if copy.is_file() else word)
        return hook.text or shlex.join(words)


def _inside(name: str) -> Path:
    """Where a file stands among the copies: one from outside the checkout in a folder of its own."""
    parts = [part for part in Path(name).parts if part not in ("/", ".", "..")]
    return Path("outside", *parts) if Path(name).is_absolute() else Path("here", *parts)
