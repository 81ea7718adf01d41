"""The findings while a command is looked at: why it is not proven, the paths it names, the folder it runs in."""

import posixpath
from collections.abc import Sequence
from dataclasses import field
from functools import lru_cache
from typing import Literal

from desktop.policy.path_words import PathVerdict
from desktop.policy.paths import PathFacts, PathOp
from desktop.policy.shell.read.globs import could_be_secret, starts_wild
from desktop.policy.shell.read.options import Arg
from desktop.policy.shell.read.world import ShellWorld
from desktop.policy.shell.verdict import ShellPath
from desktop.policy.shell.words.lexer import Word
from desktop.records import dataclass

MAX_PATHS = 1_500
MAX_MATCHES = 1_000
Folders = frozenset[str | None]
"""Folders, relative to the lane root, in which a command may run; None: it is not known."""


@dataclass(slots=True)
class Findings:
    """The facts found in a whole line: its paths, and what they are."""

    world: ShellWorld
    paths: dict[tuple[str, str], ShellPath] = field(default_factory=dict)
    known: dict[tuple[str, PathOp], PathFacts] = field(default_factory=dict)
    matches: int = 0
    parts: int = 0
    git_reads: bool = False

    def resolve(self, path: str, op: PathOp = "read") -> PathFacts | None:
        """The facts of a path, None once there are too many of them."""
        facts = self.known.get((path, op))
        if facts is None and len(self.known) < MAX_PATHS:
            facts = self.known[path, op] = self.world.resolve(path, op)
        return facts

    def name(self, facts: PathFacts, path: str, op: Literal["read", "list"] = "read") -> None:
        """Notes a path that the line names."""
        self.paths[path, op] = _named(path, op, facts.verdict, facts.class_, facts.reason)


@dataclass(slots=True)
class Proof:
    """The proof of one simple command, while it is made. `problem`: code, reason and fragment of the first thing that
    keeps it from being proven, None while there is none."""

    findings: Findings
    folders: Folders
    problem: tuple[str, str, str] | None = None

    @property
    def world(self) -> ShellWorld:
        """The facts about the lane."""
        return self.findings.world

    def fail(self, code: str, reason: str, fragment: str = "") -> None:
        """Notes why the command is not proven, unless something was noted before."""
        self.problem = self.problem or (code, reason, fragment)

    def known_folders(self) -> list[str]:
        """The folders it may run in; it is not proven when they are not known."""
        if None in self.folders:
            self.fail("folder", "The folder that it runs in is not known.")
        return sorted(folder for folder in self.folders if folder is not None)

    def path(self, text: str) -> list[PathFacts]:
        """Judges a word as a path that is read, from every folder it may be read from (gate-S9)."""
        folders = ["."] if text.startswith("/") else self.known_folders()
        return [facts for folder in folders if (facts := self._path(join(folder, text), text)) is not None]

    def _path(self, path: str, text: str) -> PathFacts | None:
        facts = self.findings.resolve(path)
        if facts is None:
            self.fail("path", "It names too many paths.")
            return None
        self.findings.name(facts, path)
        if facts.verdict not in ("inside", "reference") or facts.ask or facts.deny or facts.class_ == "secret":
            self.fail("path", f"It reads a path that is not open to commands: {facts.reason}.", text)
        return facts

    def operand(self, arg: Arg, *, shows: bool) -> list[PathFacts]:
        """Judges an operand that is a path; "-" is the standard input."""
        if arg.text == "-" and not arg.matched:
            return []
        if arg.symbolic and shows and could_be_secret(arg.symbolic):
            self.fail("glob", "A file that usually holds secrets could fit this glob.", arg.text)
        return self.path(arg.text)

    def expand(self, words: Sequence[Word], *, bare_globs: bool) -> list[Arg]:
        """The arguments that the program gets for these words (gate-S10)."""
        args: list[Arg] = []
        dashes = False
        for word in words:
            dashes = dashes or word.text == "--"
            if not word.pattern:
                args.append(Arg(word.text))
            elif self.world.on_disk:
                args += self._matches(word, dashes=dashes)
            else:
                if starts_wild(word.pattern) and not dashes and not bare_globs:
                    self.fail("glob", "A file name that this glob makes could be taken for an option.", word.text)
                args.append(Arg(word.text, symbolic=word.pattern))
        return args

    def _matches(self, word: Word, *, dashes: bool) -> list[Arg]:
        folders = self.known_folders()
        found = self.world.expand(word.pattern, folders[0]) if len(folders) == 1 else None
        if found is None or self.findings.matches + len(found) > MAX_MATCHES:
            self.fail("glob", "This glob fits too much, or looks where it may not.", word.text)
            return [Arg(word.text)]
        self.findings.matches += len(found)
        if not dashes and any(match.startswith("-") for match in found):
            self.fail("glob", "A file name that this glob makes could be taken for an option.", word.text)
        if found:
            self.path(word.text)
        return [Arg(match, matched=True) for match in found] or [Arg(word.text)]


@lru_cache(maxsize=1_024)
def _named(path: str, op: Literal["read", "list"], verdict: PathVerdict, class_: str, reason: str) -> ShellPath:
    return ShellPath(path=path, op=op, verdict=verdict, class_=class_, reason=reason)


def join(folder: str, path: str) -> str:
    """A path as seen from the lane root; the folder is not resolved away, the kernel walks through it."""
    return path if folder == "." else posixpath.join(folder, path)
