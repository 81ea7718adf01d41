"""GivenSecrets: what one command is given of the secrets that people entrusted to agents, and how it gets them.

A value is never an argument of a program, and no other command sees it: a variable is set for this process tree alone,
a file stands for its owner only in a folder of its own, which is shown to this command and removed when it has ended.
"""

import os
import shutil
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path

from pydantic import SecretStr

from desktop.records import dataclass
from desktop.services.egress.egress import Way


@dataclass(frozen=True)
class GivenSecrets:
    """`variables`: by name the value that it holds; `files`: by name of the variable that says where, the content;
    `ids`: of the secrets."""

    variables: Mapping[str, SecretStr] = field(default_factory=dict)
    files: Mapping[str, SecretStr] = field(default_factory=dict)
    ids: tuple[str, ...] = ()


NO_SECRETS = GivenSecrets()


@dataclass(frozen=True)
class HeldSecrets:
    """A command that runs and was given secrets. `shell_id`: of one in the background, else ""."""

    ids: tuple[str, ...]
    shell_id: str
    command: str


class LaidOut:
    """What one command alone finds: secrets, and its way to named hosts. `folder`: of files with secrets, None without
    one. Nothing of it is ever shown."""

    def __init__(self, variables: Mapping[str, str], folder: Path | None = None, way: Way | None = None) -> None:
        self.variables = {**variables, **(way.environment if way is not None else {})}
        self.folder = folder
        self.way = way

    def remove(self) -> None:
        """Take the files away and end the way; it does not matter how often."""
        if self.way is not None:
            self.way.close()
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)


NOTHING_LAID_OUT = LaidOut({})


def lay_out(secrets: GivenSecrets, folder: Path, way: Way | None = None) -> LaidOut:
    """Write the files into a new folder, all of them or none. Blocking (a moment).

    Raises:
        OSError: one could not be written; nothing is left, and the way is closed.
    """
    variables = {name: value.get_secret_value() for name, value in secrets.variables.items()}
    if not secrets.files:
        return LaidOut(variables, way=way)
    laid_out = LaidOut(variables | {name: str(folder / name) for name in secrets.files}, folder, way)
    try:
        folder.mkdir(mode=0o700)
        for name, value in secrets.files.items():
            handle = os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
                file.write(value.get_secret_value())
    except OSError:
        laid_out.remove()
        raise
    return laid_out
