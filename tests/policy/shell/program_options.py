"""What an installed program says of its own options: read from its help, else asked with one option at a time."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Arity = Literal["none", "required", "optional", "two", "unknown"]
"""`unknown`: the program says that it has no such option, and does nothing."""

LIMIT_S = 10.0
OTHER_NAMES = {"fd": "fdfind", "python": "python3"}
"""Programs that Debian has under another name."""
BASH_ONLY = frozenset({"type"})
"""Programs that only bash has, in itself."""
LEADING = {"rg": ("x",)}
FOLLOWING = {"unzip": ("x",)}
"""Words without which a program looks at no option, before and after it."""

_PERSON = {f"GIT_{who}_{what}": "t@t" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
_OVERSTRUCK = re.compile(r".\x08")
_DOTS = re.compile(r"\s\.+(?=\s)")
_NAME = re.compile(r"-[A-Za-z0-9?.]|--\[no-\]|--[A-Za-z0-9]")
_LONG = re.compile(r"--(?:\[no-\])?(?P<name>[A-Za-z0-9][A-Za-z0-9-]*)(?P<rest>.*)", re.DOTALL)
_SHORT = re.compile(r"-(?P<name>[A-Za-z0-9?.])(?P<rest>.*)", re.DOTALL)
_METAVAR = re.compile(r"<[^>]*>(?:\.\.\.)?|[A-Z#][A-Z0-9_,#-]*|[a-z][a-zA-Z-]*|\{[^}]*\}|\[[+-]\]\S+")
_MISSING = re.compile(
    r"requires? (?:an argument|a value|\w+ parameters?)|takes (?:one|two) parameters?|option needs an argument"
    r"|expects? a|missing argument|needs? (?:an|a value)",
    re.IGNORECASE,
)
_REFUSED = re.compile(
    r"(?:invalid|unrecognized|unrecognised|unknown|illegal|unexpected) (?:option|switch)"
    r"|(?:unrecognized|unrecognised|unknown|unexpected) argument"
    r"|wasn't expected|not recognized|there is no .* option|conflicting matchers|^\s*usage: |^Try '",
    re.IGNORECASE | re.MULTILINE,
)
_NO_VALUE = re.compile(r"doesn't allow an argument|takes no value|does not take|unexpected value", re.IGNORECASE)


@dataclass(frozen=True)
class ProgramOptions:
    """One installed program, or a sub-command of Git: `argv` starts it in `folder`, `said` is what its help tells."""

    argv: tuple[str, ...]
    folder: Path
    said: dict[str, frozenset[Arity]]

    def told(self, option: str) -> Arity | None:
        """Whether an option takes a value, by the help; None: it says nothing, or more than one thing."""
        said = self.said.get(option, frozenset())
        return next(iter(said)) if len(said) == 1 else None

    def asked(self, option: str) -> Arity:
        """What the program makes of the option as its last word, and with something attached that is no option."""
        alone = run(self.folder, *self.argv, option)
        if _MISSING.search(alone):
            return "two" if "two parameters" in alone else "required"
        if _REFUSED.search(alone) or option in alone.splitlines():
            return "unknown"
        odd = f"{option}=\x02" if option.startswith("--") else f"{option}\x02"
        attached = run(self.folder, *self.argv, odd, *FOLLOWING.get(self.argv[0], ()))
        refused = _NO_VALUE.search(attached) or _REFUSED.search(attached) or odd in attached.splitlines()
        return "none" if refused else "optional"


class Programs:
    """The programs of this machine, asked in a folder that holds one repository with a commit and a stash."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        (folder / "file").write_text("a\n", "utf-8")
        for words in ("init -q", "add file", "commit -qm first", "rm -q --cached file", "stash -q"):
            run(folder, "git", *words.split())

    def options_of(self, *names: str) -> ProgramOptions | None:
        """What a program, or its sub-command, says of itself; None: it is not on this machine."""
        argv = started_by(*names)
        if argv is None:
            return None
        help_of_bash = ("bash", "-c", f"help {names[0]}")
        asked = help_of_bash if names[0] in BASH_ONLY else (*argv, "-h" if names[0] == "git" else "--help")
        said: dict[str, set[Arity]] = {}
        for option, arity in read_help(run(self._folder, *asked)):
            said.setdefault(option, set()).add(arity)
        facts = {option: frozenset(arities) for option, arities in said.items()}
        return ProgramOptions((*argv, *LEADING.get(names[0], ())), self._folder, facts)


def started_by(name: str, *words: str) -> tuple[str, ...] | None:
    """The words that start a program, None: it is not on this machine."""
    if name in BASH_ONLY:
        return ("bash", "-c", '"$0" "$@"', name)
    found = next((one for one in (name, OTHER_NAMES.get(name, name)) if shutil.which(one)), None)
    return None if found is None else (found, *words)


def run(folder: Path, *argv: str) -> str:
    """What a program prints, on both streams, when it is started in this folder with nothing to read."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "LC_ALL": "C", "COLUMNS": "200", **_PERSON}
    done = subprocess.run(
        argv, stdin=subprocess.DEVNULL, capture_output=True, cwd=folder, env=environment, timeout=LIMIT_S, check=False
    )
    return (done.stdout[:400_000] + done.stderr[:100_000]).decode("utf-8", "replace")


def read_help(text: str) -> Iterator[tuple[str, Arity]]:
    """The options that a help text describes, each line of it that begins with one, and whether they take a value."""
    for line in _OVERSTRUCK.sub("", text).splitlines():
        stripped = line.strip()
        if _NAME.match(stripped) and line[:1] in (" ", "\t"):
            yield from _described(_DOTS.sub(",", stripped))


def _described(line: str) -> Iterator[tuple[str, Arity]]:
    """The options of one line: `-n, --name=VALUE   what it does`. Of what can be read in two ways nothing is said."""
    joined = re.sub(r",?\s{2,}(?=--?[A-Za-z])", ", ", line)
    spec = re.split(r"\s{2,}|\t|(?<=[a-z]) (?=[A-Z][a-z])|; ", joined)[0]
    found: list[tuple[str, Arity | None]] = []
    for part in re.split(r",\s*(?=-)|\s+(?:or|-)\s+(?=-)|\s+(?=-)", spec):
        matched = _LONG.fullmatch(part) or _SHORT.fullmatch(part)
        if matched is None:
            continue
        long = part.startswith("--")
        found.append((f"{'--' if long else '-'}{matched['name']}", _value(matched["rest"], long=long)))
        if "[no-]" in part:
            yield f"--no-{matched['name']}", "none"
    last = found[-1][1] if found else None
    for name, arity in found:
        own = arity if arity != "none" else {"required": "required", "two": "two", "none": "none"}.get(last or "")
        if own is not None:
            yield name, own


def _value(rest: str, *, long: bool) -> Arity | None:
    """What stands behind the name of an option; None: it can be read in two ways."""
    if not rest.strip():
        return "none"
    if rest.startswith("["):
        return "optional"
    if rest.startswith("="):
        return "required" if re.fullmatch(r"=(?:\[-\])?[A-Z<{].*", rest) else None
    if not long and not rest.startswith(" "):
        return "required" if re.match(r"[A-Z<]", rest) else None
    words = rest.split()
    if len(words) == 2 and all(re.fullmatch(r"[a-z]", word) for word in words):
        return "two"
    if len(words) == 1 and _METAVAR.fullmatch(words[0]):
        return "required"
    return None if words[0].startswith(("[", "<", "(")) else "none"
