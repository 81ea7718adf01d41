"""The repository's lane file, `.banksman/lane.toml`: read, checked key by key, and put into sentences (lanes-L18)."""

import os
import re
import shlex
import stat
import tomllib
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field, StrictBool, StrictInt, StrictStr, ValidationError

from desktop.domain.core.base import Frozen
from desktop.domain.core.errors import LaneError
from desktop.services.files.folder_handles import HAS_HANDLES, READ_FLAGS, Folder, HandleFolder, PathFolder, descend

LANE_FILE = ".banksman/lane.toml"
INCLUDE_FILE = ".worktreeinclude"
MAX_FILE_BYTES = 64 * 1024
MAX_COMMAND_CHARS = 4096
MAX_PATTERNS = 100
MAX_VARIABLES = 50
MAX_VARIABLE_CHARS = 4096
DEFAULT_PORTS = 10
_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*")
_OWN_VARIABLES = re.compile(
    r"PATH|HOME|TMPDIR|TMP|TEMP|USER|SHELL|TERM|IFS|ENV|CDPATH|GLOBIGNORE|PORT|PROMPT_COMMAND|SHELLOPTS|PS4|"
    r"(LD|DYLD|GIT|BASH|BANKSMAN)_.*|BASHOPTS"
)


def _command(value: object) -> object:
    """A list of words as the line that bash splits into the same words."""
    if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
        return shlex.join(value)
    return value


def _line(value: str) -> str:
    if "\0" in value or not value.strip():
        raise ValueError("a command is a text, or a list of words")
    return value


def _variables(table: dict[str, str]) -> dict[str, str]:
    for name, value in table.items():
        if not _VARIABLE.fullmatch(name):
            raise ValueError(f"{name!r} is no name for a variable: capital letters, digits and _")
        if _OWN_VARIABLES.fullmatch(name):
            raise ValueError(f"{name} decides which programs run, or is set by Banksman; it cannot be set here")
        if "\0" in value or len(value) > MAX_VARIABLE_CHARS:
            raise ValueError(f"the value of {name} is too long, or holds a NUL")
    return table


def _pattern(value: str) -> str:
    if not value.strip() or any(char in value for char in "\0\n\r"):
        raise ValueError("a pattern is one line that says something")
    return value


Command = Annotated[StrictStr, Field(max_length=MAX_COMMAND_CHARS), BeforeValidator(_command), AfterValidator(_line)]


class SetupTable(Frozen):
    """[setup]: what makes a new lane ready. `command` "": nothing."""

    command: Command | None = None
    timeout_s: StrictInt = Field(default=900, ge=10, le=3600)
    network: StrictBool = False


class TeardownTable(Frozen):
    """[teardown]: what runs before a lane is deleted."""

    command: Command | None = None
    timeout_s: StrictInt = Field(default=60, ge=10, le=600)


class RunTable(Frozen):
    """[run]: what "Run" starts."""

    command: Command | None = None


class CopyTable(Frozen):
    """[copy]: ignored files of the checkout that a new lane gets. `max_mb`: of all of them together."""

    paths: tuple[Annotated[StrictStr, AfterValidator(_pattern)], ...] = Field(default=(), max_length=MAX_PATTERNS)
    max_mb: StrictInt = Field(default=50, ge=1, le=2000)


class PortsTable(Frozen):
    """[ports]: how many numbers a lane is told."""

    count: StrictInt = Field(default=DEFAULT_PORTS, ge=0, le=20)


class TestEntry(Frozen):
    """[[tests]]: a command that proves something."""

    __test__ = False

    id: StrictStr = Field(min_length=1, max_length=60)
    command: Command
    cwd: StrictStr = Field(default=".", max_length=500)
    timeout_s: StrictInt = Field(default=600, ge=1, le=3600)


class LaneFile(Frozen):
    """The wishes of a repository for its lanes, as its files say them. `include`: further patterns, of
    `.worktreeinclude`."""

    setup: SetupTable = SetupTable()
    run: RunTable = RunTable()
    copy_: CopyTable = Field(default=CopyTable(), alias="copy")
    ports: PortsTable = PortsTable()
    env: Annotated[dict[StrictStr, StrictStr], Field(max_length=MAX_VARIABLES), AfterValidator(_variables)] = Field(
        default_factory=dict
    )
    teardown: TeardownTable = TeardownTable()
    tests: tuple[TestEntry, ...] = Field(default=(), max_length=30)
    include: tuple[str, ...] = ()

    @property
    def patterns(self) -> tuple[str, ...]:
        """The patterns of files that are copied into a new lane, in the syntax of .gitignore, in order."""
        return (*self.copy_.paths, *self.include)

    def says(self) -> tuple[str, ...]:
        """The sentences that say what trusting this file allows."""
        said: list[str] = []
        if self.setup.command:
            said.append(
                f"Runs “{self.setup.command}” in each new lane, with the network."
                if self.setup.network
                else f"Runs “{self.setup.command}” in each new lane, without the network."
            )
        if self.run.command:
            said.append(f"Runs “{self.run.command}” with the network when you choose Run.")
        if self.teardown.command:
            said.append(f"Runs “{self.teardown.command}” before a lane is deleted, without the network.")
        if self.patterns:
            said.append(f"Copies ignored files of your checkout into new lanes: {', '.join(self.patterns)}.")
        if self.env:
            said.append(f"Sets {', '.join(sorted(self.env))} for commands and terminals of the lanes.")
        return tuple(said)


def read_lane_files(root: Path) -> dict[str, bytes]:
    """The contents of the lane file and of `.worktreeinclude` of a checkout, by name; what is not there is left out. No
    link is followed. Blocking.

    Raises:
        LaneError: one of them cannot be read, is too large, or is no regular file.
    """
    found = {name: _content(root, name) for name in (LANE_FILE, INCLUDE_FILE)}
    return {name: content for name, content in found.items() if content is not None}


def parse_lane_files(contents: dict[str, bytes]) -> LaneFile:
    """The lane file that these contents make.

    Raises:
        LaneError: names the key and what is wrong with it.
    """
    table = _table(contents.get(LANE_FILE, b""))
    include = tuple(
        line
        for line in _text(contents.get(INCLUDE_FILE, b""), INCLUDE_FILE).splitlines()
        if line.strip() and not line.lstrip().startswith("#")
    )
    if len(include) > MAX_PATTERNS:
        raise LaneError(f"{INCLUDE_FILE}: it has more than {MAX_PATTERNS} patterns.")
    if "include" in table or "copy_" in table:
        raise LaneError(f"{LANE_FILE}: unknown key '{'include' if 'include' in table else 'copy_'}'.")
    try:
        return LaneFile.model_validate({**table, "include": include})
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise LaneError(f"{LANE_FILE}: {_fault(first['loc'], first['type'], first['msg'])}.") from error


def _fault(place: tuple[int | str, ...], kind: str, words: str) -> str:
    key = ".".join(str(part) for part in place)
    if kind == "extra_forbidden":
        return f"unknown key '{key}'"
    return f"{key}: {words.removeprefix('Value error, ').removesuffix('.')}"


def _table(content: bytes) -> dict[str, object]:
    try:
        return dict(tomllib.loads(_text(content, LANE_FILE)))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise LaneError(f"{LANE_FILE}: {error}.") from error


def _text(content: bytes, name: str) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise LaneError(f"{name}: it is not UTF-8.") from error


def _content(root: Path, name: str) -> bytes | None:
    *folders, last = name.split("/")
    try:
        with (
            descend(open_folder(root), tuple(folders)) as folder,
            os.fdopen(folder.open(last, READ_FLAGS), "rb") as file,
        ):
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise LaneError(f"{name}: it is not a regular file.")
            content = file.read(MAX_FILE_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise LaneError(f"{name}: it cannot be read ({error.strerror or error}).") from error
    if len(content) > MAX_FILE_BYTES:
        raise LaneError(f"{name}: it is larger than 64 KiB.")
    return content


def open_folder(path: Path) -> Folder:
    """A handle on a folder, from which no link is followed. The caller closes it. Raises OSError."""
    return HandleFolder.at(path) if HAS_HANDLES else PathFolder.at(path)
