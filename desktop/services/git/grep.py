"""Searching file contents with git grep: nothing planted runs, secret files are left out, output is bounded."""

import asyncio
import re
from collections.abc import AsyncIterator
from dataclasses import field
from pathlib import Path
from typing import Literal

from desktop.domain.core.errors import BanksmanError
from desktop.records import dataclass
from desktop.services.files.glob import expand_braces
from desktop.services.git.file_search import is_secret, listed_files, secret_files
from desktop.services.git.run import git_environment

TIME_LIMIT_S = 30.0
MAX_EXCLUDES = 500
MAX_LINE_BYTES = 8 * 1024 * 1024
_CONFIG = {
    "grep.column": "false",
    "grep.fullName": "false",
    "grep.lineNumber": "false",
    "grep.patternType": "default",
    "grep.fallbackToNoIndex": "false",
    "color.ui": "false",
    "color.grep": "false",
    "core.quotePath": "false",
    "submodule.recurse": "false",
}
_NO_PCRE = "USE_LIBPCRE"
_GLOB_WORDS = re.compile(r"([*?\[\\])")
_BINARY = re.compile(rb"Binary file (.*) matches")
_FAULT = re.compile(r"^fatal: (?:-e option, |command line, )?(?:'.*?': )?(.*)$", re.DOTALL)

OutputMode = Literal["content", "files_with_matches", "count"]


@dataclass(frozen=True)
class GrepQuery:
    """A search in the text of files. `below`: a folder or file relative to the folder searched, "." for all of it.
    `glob`: a file filter in git's ignore syntax. `skip_secrets` False: the person allowed exactly this place."""

    pattern: str
    below: str = "."
    below_is_file: bool = False
    glob: str = ""
    mode: OutputMode = "content"
    literal: bool = False
    ignore_case: bool = False
    include_ignored: bool = False
    context: int = 0
    max_results: int = 100
    skip_secrets: bool = True


@dataclass(frozen=True)
class GrepLine:
    """One line of the answer. `column` 0: a context line, else the byte where the hit begins, from 1. `line` 0: the
    gap between two groups."""

    path: str
    line: int
    column: int
    text: str


@dataclass
class GrepAnswer:
    """The hits of a search, in git's order. `more`: there would have been more than was asked for. `extended`: this git
    has no Perl expressions, extended ones were used. `counts`: path to hits, in count mode."""

    lines: list[GrepLine] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    binary: list[str] = field(default_factory=list)
    protected: int = 0
    more: bool = False
    timed_out: bool = False
    extended: bool = False

    @property
    def hits(self) -> int:
        """The number of results of the asked kind."""
        return sum(line.column > 0 for line in self.lines) + len(self.files) + len(self.counts)


class PatternFault(BanksmanError):
    """The pattern cannot be used; the text is git's."""


async def grep(folder: Path, query: GrepQuery) -> GrepAnswer:
    """Search the files below `folder`, at most 30 s.

    Raises:
        PatternFault: the pattern is no regular expression.
        OSError: git cannot be run.
    """
    in_repository = (folder / ".git").exists()
    use_index = in_repository and not query.include_ignored
    excluded: tuple[str, ...] = ()
    answer = GrepAnswer()
    if query.skip_secrets:
        files = await listed_files(folder, include_ignored=query.include_ignored) or ()
        secrets = await asyncio.to_thread(secret_files, files)
        excluded = tuple(path for path in secrets if _is_below(path, query.below))
        answer.protected = len(excluded)
    kind = "-F" if query.literal else "-P"
    search = _Search(folder, query, answer)
    fault = await search.run(_arguments(query, kind, excluded, use_index=use_index))
    if _NO_PCRE in fault:
        answer.extended = True
        fault = await search.run(_arguments(query, "-E", excluded, use_index=use_index))
    if fault:
        match = _FAULT.match(fault.strip())
        raise PatternFault(match.group(1).splitlines()[0] if match else fault.strip())
    return answer


def _is_below(path: str, folder: str) -> bool:
    return folder in (".", path) or path.startswith(f"{folder}/")


def _arguments(query: GrepQuery, kind: str, excluded: tuple[str, ...], *, use_index: bool) -> list[str]:
    places = ["--untracked"] if use_index else ["--no-index"]
    if not use_index and not query.include_ignored:
        places.append("--exclude-standard")
    shape = {"content": ["-n", "--column"], "files_with_matches": ["-l"], "count": ["-c"]}[query.mode]
    if query.mode == "content" and query.context:
        shape.append(f"-C{query.context}")
    if query.ignore_case:
        shape.append("-i")
    specs = [*_pathspecs(query), *(f":(exclude,literal){path}" for path in excluded[:MAX_EXCLUDES])]
    return ["git", "grep", *places, "--no-color", "-z", *shape, kind, "-e", query.pattern, "--", *specs]


def _pathspecs(query: GrepQuery) -> list[str]:
    below = "" if query.below == "." else query.below
    pattern = query.glob.strip()
    if not pattern or query.below_is_file:
        return [f":(literal){below}" if below else "."]
    magic, pattern = ("exclude,glob", pattern[1:]) if pattern.startswith("!") else ("glob", pattern)
    anchored = "/" in pattern.rstrip("/")
    prefix = _GLOB_WORDS.sub(r"\\\1", below) + "/" if below else ""
    specs = []
    for form in expand_braces(pattern.lstrip("/")):
        form = f"{form}**" if form.endswith("/") else form
        specs.append(f":({magic}){prefix}{'' if anchored or form.startswith('**/') else '**/'}{form}")
    if magic != "glob":
        specs.insert(0, f":(literal){below}" if below else ".")
    return specs


class _Search:
    """One run of git grep, read as it comes."""

    def __init__(self, folder: Path, query: GrepQuery, answer: GrepAnswer) -> None:
        self._folder = folder
        self._query = query
        self._answer = answer

    async def run(self, arguments: list[str]) -> str:
        """Fill the answer. Returns git's words when it failed, else ""."""
        process = await asyncio.create_subprocess_exec(
            *arguments,
            cwd=self._folder,
            env=git_environment(_CONFIG),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=MAX_LINE_BYTES,
        )
        assert process.stdout is not None
        assert process.stderr is not None
        errors = asyncio.create_task(process.stderr.read())
        try:
            async with asyncio.timeout(TIME_LIMIT_S):
                await self._read(process.stdout)
                if not self._answer.more:
                    words = (await errors).decode("utf-8", "replace")
                    return words if await process.wait() > 1 else ""
        except TimeoutError:
            self._answer.timed_out = True
        finally:
            if process.returncode is None:
                process.kill()
            await asyncio.shield(process.wait())
            errors.cancel()
        return ""

    async def _read(self, stream: asyncio.StreamReader) -> None:
        async for raw in _pieces(stream, b"\0" if self._query.mode == "files_with_matches" else b"\n"):
            if self._answer.hits >= self._query.max_results and self._is_result(raw):
                self._answer.more = True
                return
            self._take(raw)

    def _is_result(self, raw: bytes) -> bool:
        return self._query.mode != "content" or raw.count(b"\0", 0, 4096 + 64) >= 3

    def _take(self, raw: bytes) -> None:
        if self._query.mode == "files_with_matches":
            path = _text(raw)
            if not self._hidden(path):
                self._answer.files.append(path)
        elif self._query.mode == "count":
            path, _, count = _text(raw).partition("\0")
            if count.isdigit() and not self._hidden(path):
                self._answer.counts[path] = int(count)
        else:
            self._take_line(raw)

    def _take_line(self, raw: bytes) -> None:
        parts = raw.split(b"\0", 3)
        if len(parts) == 1:
            binary = _BINARY.fullmatch(raw)
            if binary and not self._hidden(path := _text(binary.group(1))):
                self._answer.binary.append(path)
            elif raw == b"--" and self._answer.lines and self._answer.lines[-1].line:
                self._answer.lines.append(GrepLine("", 0, 0, ""))
            return
        path = _text(parts[0])
        if self._hidden(path) or len(parts) < 3 or not parts[1].isdigit():
            return
        is_hit = len(parts) == 4 and parts[2].isdigit()
        column = int(parts[2]) if is_hit else 0
        self._answer.lines.append(GrepLine(path, int(parts[1]), column, _text(parts[-1]).rstrip("\r")))

    def _hidden(self, path: str) -> bool:
        return self._query.skip_secrets and is_secret(path)


async def _pieces(stream: asyncio.StreamReader, separator: bytes) -> AsyncIterator[bytes]:
    """The stream cut at `separator`, which is left out. A piece longer than 8 MiB is dropped."""
    while True:
        try:
            piece = await stream.readuntil(separator)
        except asyncio.IncompleteReadError as error:
            if error.partial:
                yield error.partial
            return
        except asyncio.LimitOverrunError as error:
            await stream.readexactly(error.consumed)
            continue
        yield piece[:-1]


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")
