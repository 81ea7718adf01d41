"""The knowledge gathered while a line is read: variables, functions, files that it wrote, and the folder it is in."""

import re
from collections.abc import Callable
from functools import lru_cache

from desktop.policy.shell.deny.call import SECRET, DenyPlaces, thinned, unmarked
from desktop.policy.shell.deny.classes.paths import absolute, start_folder
from desktop.policy.shell.deny.reader.nodes import MAYBE, SOME, Node, Parameter, Substitution, Word, hidden, shown
from desktop.policy.shell.deny.reader.text import braced

MAX_VALUES = 256
MAX_WEIGHT = 800_000
TEXT_WEIGHT = 64
MAX_SPREAD = 2_000
STEPS_A_WORD = 64
_TEMPORARY = "/" + "tmp"
_SECRET_NAME = re.compile(
    r"(?:\A|_)(?:API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|KEY|TOKEN|SECRETS?|PASSWORD|PASSWD|PASSPHRASE|PASS|PAT|CREDENTIALS?"
    r"|APIKEY|AUTH_?TOKEN|SECRET_?KEY|GITHUB_?TOKEN|PWD)(?:\d*)(?=_|\Z)"
)
_SLICE = re.compile(r"\s*(-?\d+)\s*(?::\s*(-?\d+)\s*)?")


def names_a_secret(name: str) -> bool:
    """Whether a variable of this name usually holds a key, token, secret or password."""
    if name in {"PWD", "OLDPWD", "key", "keys", "pass", "pat"}:
        return False
    split = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name).upper()
    return bool(_SECRET_NAME.search(split))


@lru_cache(maxsize=16)
def _first_variables(home: str) -> dict[str, list[str]]:
    """What every line finds set; not to be changed."""
    return {
        "IFS": [" "],
        "TMPDIR": [_TEMPORARY],
        "SHELL": ["/bin/bash"],
        "BASH": ["/bin/bash"],
        "0": ["bash"],
        "HOME": [home],
        "PPID": ["$PPID"],
        "PATH": ["/usr/local/bin:/usr/bin:/bin"],
        "USER": [home.rstrip("/").rpartition("/")[2]],
        "OLDPWD": [SOME],
    }


class Scope:
    """Names and places; `run` gives the output of a substitution."""

    def __init__(self, places: DenyPlaces, run: Callable[[Substitution], str]) -> None:
        self.places = places
        self.folder = start_folder(places)
        self.functions: dict[str, Node] = {}
        self.aliases: dict[str, str] = {}
        self.files: dict[str, str] = {}
        self.positional: list[str] | None = None
        self._variables = _first_variables(places.home).copy()
        self._run = run
        self._weight = 0
        self._spread = 0

    def assign(self, name: str, values: list[str], *, adds: bool = False) -> None:
        """Give a variable its possible values."""
        if adds:
            values = [old + new for old in self._variables.get(name, [""]) for new in values]
        self._weigh(values)
        self._variables[name] = thinned(values)

    def path(self, text: str) -> str:
        """The absolute form of a path given here."""
        return absolute(text, self.folder, self.places)

    def fields(self, word: Word) -> list[str]:
        """The words that bash, or some run of it, would make of this word."""
        if isinstance(word, str):
            if word.isascii() and "{" not in word and not word.startswith("~"):
                return [word]
            return self._tildes([shown(part) for part in self._braced(word)])
        return self._tildes(
            [shown(part) for text in self._texts(word) for whole in self._braced(text) for part in whole.split()]
        )

    def text(self, word: Word) -> str:
        """The word as one text, not split: a value, a here-document."""
        return shown(self._texts((word,) if isinstance(word, str) else word)[0])

    def values(self, word: Word) -> list[str]:
        """The texts that the word may be, not split."""
        return [shown(text) for text in self._texts((word,) if isinstance(word, str) else word)]

    def alternatives(self, word: Word) -> list[list[str]]:
        """The words that each possible text of a program word makes."""
        if isinstance(word, str):
            return [self.fields(word)]
        made = [[shown(part) for whole in self._braced(text) for part in whole.split()] for text in self._texts(word)]
        return [self._tildes(words) for words in made]

    def values_of(self, name: str) -> list[str]:
        """The possible values of a variable."""
        return self._values(name)

    def content(self, path: str) -> str:
        """The content of a file that the line wrote; else an unknown text."""
        return self.files.get(self.path(path), SOME)

    def store(self, path: str, text: str) -> None:
        """Note what the line writes to a file."""
        whole = self.path(path)
        self._weigh([text])
        self.files[whole] = self.files.get(whole, "") + text

    def _weigh(self, texts: list[str]) -> None:
        """Count what is put together.

        Raises:
            OverflowError: more than can be judged in time.
        """
        self._weight += sum(map(len, texts)) + TEXT_WEIGHT * len(texts)
        if self._weight > MAX_WEIGHT:
            raise OverflowError

    def _braced(self, text: str) -> list[str]:
        """What brace expansion makes of a word.

        Raises:
            OverflowError: more than can be judged in time.
        """
        if "{" not in text:
            return [text]
        self._spread += text.count("{") * len(text) // STEPS_A_WORD
        words = braced(text) if self._spread <= MAX_SPREAD else []
        self._spread += len(words)
        if self._spread > MAX_SPREAD:
            raise OverflowError
        return words

    def _tildes(self, words: list[str]) -> list[str]:
        home = self._variables["HOME"][0]
        return [home + word[1:] if word == "~" or word.startswith("~/") else word for word in words]

    def _texts(self, pieces: tuple[str | Parameter | Substitution, ...]) -> list[str]:
        texts = [""]
        tail: list[str] = []
        for piece in pieces:
            choices = self._choices(piece)
            self._weigh(choices)
            if len(choices) == 1:
                tail += choices
                continue
            texts = [text + "".join(tail) for text in texts]
            tail = []
            if len(texts) * len(choices) > MAX_VALUES:
                texts = [text + choices[0] for text in texts] + [texts[0] + choice for choice in choices]
            else:
                texts = [text + choice for text in texts for choice in choices]
            self._weigh(texts)
        return [text + "".join(tail) for text in texts]

    def _choices(self, piece: str | Parameter | Substitution) -> list[str]:
        if isinstance(piece, str):
            return [piece]
        values = self._parameter(piece) if isinstance(piece, Parameter) else [self._run(piece)]
        return [hidden(value) for value in values] if piece.quoted else values

    def _parameter(self, piece: Parameter) -> list[str]:
        if piece.op == "((":
            self._texts((piece.argument,) if isinstance(piece.argument, str) else piece.argument)
            return [SOME]
        values = self._values(piece.name)
        op = piece.op.removeprefix("!")
        if op.startswith("len"):
            return [SOME]
        if op == "[@]":
            return [" ".join(values)]
        if op != piece.op:
            values = [inner for value in values for inner in self._values(unmarked(value))] or [SOME]
        if op in _DEFAULTS:
            return self._defaulted(piece, op, values)
        if op == ":":
            return [_sliced(value, self.text(piece.argument)) for value in values]
        if op:
            argument = self.text(piece.argument)
            return [changed for value in values for changed in _changed(value, op, argument)]
        return values

    def _values(self, name: str) -> list[str]:
        if name in self._variables:
            return self._variables[name]
        if name == "PWD":
            return [self.folder]
        if name in {"@", "*"}:
            return [SOME] if self.positional is None else [" ".join(self.positional)]
        if name.isdigit():
            index = int(name[:6]) - 1
            if self.positional is None:
                return [SOME]
            return [self.positional[index] if index < len(self.positional) else ""]
        if name in self.places.given:
            return [SOME]
        if names_a_secret(name):
            return [SOME + SECRET]
        return [SOME] if name in {"?", "#", "$", "!", "-", "RANDOM", "EUID", "UID", "HOSTNAME"} else [MAYBE]

    def _defaulted(self, piece: Parameter, op: str, values: list[str]) -> list[str]:
        argument = self.values(piece.argument)
        if op[-1] == "?":
            return [value.replace(MAYBE, SOME) for value in values]
        if op[-1] == "+":
            return [*argument, ""] if any(MAYBE in value for value in values) else argument
        known = [value for value in values if value and MAYBE not in value]
        if len(known) == len(values):
            return values
        if op[-1] == "=":
            self.assign(piece.name, [*argument, SOME])
        return [*argument, *known, *([SOME] if MAYBE in "".join(values) else [])]


_DEFAULTS = {":-", "-", ":=", "=", ":+", "+", ":?", "?"}


def _sliced(value: str, argument: str) -> str:
    found = _SLICE.fullmatch(argument)
    if found is None or MAYBE in value or SOME in value:
        return SOME
    start, length = int(found[1]), found[2]
    end = None if length is None else int(length)
    if end is not None and end >= 0:
        end += start if start >= 0 else len(value) + start
    return value[start:end]


def _changed(value: str, op: str, argument: str) -> list[str]:
    """What `${x//a/b}`, `${x#a}`, `${x%a}`, `${x^^}` and the like may make of a value."""
    if op[0] in "^,":
        return [value.upper() if op[0] == "^" else value.lower()]
    if op[0] == "/":
        old, _, new = argument.partition("/")
        return [value.replace(old, new) if old and not re.search(r"[*?\[]", old) else SOME]
    if op[0] in "#%":
        if re.search(r"[*?\[]", argument):
            return [value, SOME]
        return [value.removeprefix(argument) if op[0] == "#" else value.removesuffix(argument)]
    return [value]
