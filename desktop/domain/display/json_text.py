"""Tool arguments as a card draws them: JSON decoded, key by key; other text as it is (gate-V10)."""

import json
import re
import shlex
from collections import Counter
from collections.abc import Iterator
from dataclasses import field
from typing import NoReturn

from desktop.domain.display.marks import text_marks
from desktop.domain.display.text import Mark, Run, display_safe, joined
from desktop.patterns import Pattern
from desktop.records import dataclass

AGENT_SAYS = "the agent says "
_DEEPEST = 60
_PLAIN_KEY = Pattern(r"[\w.$@/-]+")
_BAR = "│ "
_SPEAKING = Pattern(
    r"(?:is|pre|auto|already|user|agent|tool|call)?(?:"
    r"descriptions?|reason(?:ing|s)?|rationale|justification|explanation|intent|purpose|summary|"
    r"approv(?:e|ed|al|er)|allow(?:ed)?|den(?:y|ied)|permi(?:t|tted|ssion|ssions)|consent(?:ed)?|"
    r"authori[sz](?:e|ed|ation)|confirm(?:ed|ation)?|grant(?:ed)?|accept(?:ed)?|trust(?:ed)?|safe(?:ty)?|harmless|"
    r"risk(?:y|s)?|severity|dangerous|destructive|irreversible|rules?|verdict|decision|gate|policy|sandbox(?:ed)?|"
    r"verified|reviewed|whitelist(?:ed)?|allowlist(?:ed)?|readonly|taint(?:ed)?|warnings?|badge"
    r")(?:by|level|status|text|score|id|name|note|message|reason|user|mode)?"
)
_COMMAND_KEYS = frozenset({"command", "cmd", "commands", "script", "shell", "bash", "run", "exec", "commandline"})
_COMMAND_ENDINGS = ("command", "commands", "cmd", "cmdline", "commandline", "shellscript")
_ARGUMENT_KEYS = frozenset({"args", "argv", "arguments", "argumentlist", "commandargs", "words"})
_PROGRAM_KEYS = frozenset({"program", "executable", "binary", "bin", "command", "cmd", "exe"})
_ARGUMENTS = "args"
_SQL_KEYS = frozenset({"sql", "query", "statement", "statements", "queries"})


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it was written."""

    text: str


@dataclass(frozen=True, slots=True)
class Pairs:
    """The keys and values of an object, in order, repeated keys included."""

    items: list[tuple[str, "Value"]]


Value = str | Number | bool | None | list["Value"] | Pairs


@dataclass
class Arguments:
    """The arguments of a tool as they were read from a text. `problem`: why JSON cannot be drawn as such, "" also for
    text that is none."""

    value: Value = None
    is_json: bool = False
    problem: str = ""
    repeated: list[str] = field(default_factory=list)


def read_arguments(text: str) -> Arguments:
    """The text parsed as JSON, keys given twice kept."""
    arguments = Arguments()

    def pairs(found: list[tuple[str, Value]]) -> Pairs:
        counts = Counter(key for key, _value in found)
        arguments.repeated += [key for key, times in counts.items() if times > 1]
        return Pairs(found)

    try:
        value = json.loads(
            text, object_pairs_hook=pairs, parse_int=Number, parse_float=Number, parse_constant=_no_constant
        )
    except ValueError:
        return arguments
    except RecursionError:
        value = None
    if (value is None and text.strip() != "null") or _depth(value) > _DEEPEST:
        arguments.problem = "These arguments are nested too deeply to be drawn key by key."
        return arguments
    arguments.value, arguments.is_json = value, True
    return arguments


def argument_runs(text: str) -> tuple[Run, ...]:
    """Tool arguments as runs: `key: value` a line, deeper ones indented, texts of several lines behind a bar."""
    arguments = read_arguments(text)
    if not arguments.is_json:
        return display_safe(text, multiline=True, marks=text_marks(text))
    runs: list[Run] = []
    for number, line in enumerate(_lines(arguments.value, "")):
        runs += [Run(kind="text", text="\n")] if number else []
        runs += line
    return _merged(runs)


def argument_sentences(text: str) -> tuple[str, ...]:
    """The warning lines that the keys of tool arguments give: one given twice, one that speaks for the gate."""
    arguments = read_arguments(text)
    sentences = [arguments.problem] if arguments.problem else []
    sentences += [f"The key {_key(key)} is given twice." for key in dict.fromkeys(arguments.repeated)][:5]
    if arguments.is_json:
        said = [_key(key) for key, _value in _walk(arguments.value) if speaks_for_gate(key)]
        if said:
            names = ", ".join(dict.fromkeys(said[:20]))
            sentences.append(f"The agent's own words, which decide nothing: {names}.")
    return tuple(sentences)


def argument_texts(text: str) -> tuple[tuple[str, str], ...]:
    """Every key and text of tool arguments, at any depth: (key, text). A list of words under a key is joined as a shell
    would have to be given it, behind the program that stands beside it where its key says that it is arguments."""
    arguments = read_arguments(text)
    if not arguments.is_json:
        return (("", text),)
    found: list[tuple[str, str]] = []
    for key, value in _walk(arguments.value):
        if isinstance(value, str):
            found.append((key, value))
        elif words := _words(value):
            found.append((key or _ARGUMENTS, shlex.join(words)))
        elif isinstance(value, Pairs):
            found += _started(value)
    return tuple(found)


def _words(value: Value) -> list[str]:
    """A list of nothing but texts; [] for anything else."""
    words = [word for word in value if isinstance(word, str)] if isinstance(value, list) else []
    return words if isinstance(value, list) and len(words) == len(value) else []


def _started(value: Pairs) -> Iterator[tuple[str, str]]:
    """`{"program": "bash", "args": ["-c", "…"]}` as the one command that it is."""
    programs = [inner for key, inner in value.items if _bare(key) in _PROGRAM_KEYS and isinstance(inner, str)]
    lists = [words for key, inner in value.items if _bare(key) in _ARGUMENT_KEYS and (words := _words(inner))]
    for program in programs:
        for words in lists:
            yield _ARGUMENTS, shlex.join([program, *words])


def is_command_key(key: str) -> bool:
    """Whether a value under this key is a command, or words that make one."""
    bare = _bare(key)
    return bare in _COMMAND_KEYS or bare in _ARGUMENT_KEYS or bare.endswith(_COMMAND_ENDINGS)


def is_sql_key(key: str) -> bool:
    """Whether a value under this key is SQL."""
    return _bare(key) in _SQL_KEYS


def speaks_for_gate(key: str) -> bool:
    """Whether a key describes the call or claims what only the gate can say."""
    return _SPEAKING.fullmatch(_bare(key)) is not None


def _bare(key: str) -> str:
    return re.sub(r"[\W_]+", "", key).casefold()


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _depth(value: Value) -> int:
    level, depth = _inside(value), 0
    while level:
        level, depth = [inner for outer in level for inner in _inside(outer)], depth + 1
    return depth


def _inside(value: Value) -> list[Value]:
    if isinstance(value, Pairs):
        return [inner for _key, inner in value.items]
    return value if isinstance(value, list) else []


def _walk(value: Value, key: str = "") -> Iterator[tuple[str, Value]]:
    """Every value with the nearest key above it, the outermost first."""
    yield key, value
    if isinstance(value, Pairs):
        for name, inner in value.items:
            yield from _walk(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from _walk(inner, key)


def _lines(value: Value, indent: str) -> Iterator[list[Run]]:
    """A value at the left edge `indent`, line by line."""
    if isinstance(value, Pairs) and value.items:
        for key, inner in value.items:
            said = AGENT_SAYS if speaks_for_gate(key) else ""
            yield from _named(f"{indent}{said}", f"{_key(key)}:", inner, indent)
    elif isinstance(value, list) and value:
        for inner in value:
            yield from _named(indent, "-", inner, indent)
    elif isinstance(value, str) and "\n" in value:
        yield from _text_lines(value, indent)
    else:
        yield [_plain(indent), *_short(value)]


def _named(lead: str, name: str, value: Value, indent: str) -> Iterator[list[Run]]:
    """A key, or the dash of a list, with its value beside it or below it."""
    if _inside(value) or (isinstance(value, str) and "\n" in value):
        yield [_plain(lead + name)]
        yield from _lines(value, indent + "  ")
    else:
        yield [_plain(f"{lead}{name} "), *_short(value)]


def _text_lines(text: str, indent: str) -> Iterator[list[Run]]:
    line = [_plain(indent + _BAR)]
    for run in display_safe(text, multiline=True, marks=text_marks(text)):
        first, *rest = run.text.split("\n")
        line += [run.model_copy(update={"text": first})] if first else []
        for piece in rest:
            yield line
            line = [_plain(indent + _BAR), *([run.model_copy(update={"text": piece})] if piece else [])]
    yield line


def _short(value: Value) -> list[Run]:
    """A value in one line. Texts stand without quotes unless they would be taken for something else."""
    if isinstance(value, str):
        marks: tuple[Mark, ...] = text_marks(value)
        runs = list(display_safe(value, multiline=False, marks=marks))
        return [_plain('"'), *runs, _plain('"')] if _misread(value) else runs
    if isinstance(value, Number):
        return list(display_safe(value.text, multiline=False))
    if isinstance(value, Pairs):
        return [_plain("{}")]
    if isinstance(value, list):
        return [_plain("[]")]
    return [_plain("null" if value is None else "true" if value else "false")]


def _misread(text: str) -> bool:
    if text in ("", "{}", "[]") or text != text.strip() or text.startswith('"'):
        return True
    try:
        json.loads(text, parse_int=Number)
    except (ValueError, RecursionError):
        return False
    return text[0] not in "{["


def _key(key: str) -> str:
    shown = joined(display_safe(key, multiline=False, marks=text_marks(key)))
    return shown if _PLAIN_KEY.fullmatch(key) else f'"{shown}"'


def _plain(text: str) -> Run:
    return Run(kind="text", text=text)


def _merged(runs: list[Run]) -> tuple[Run, ...]:
    """Neighbouring texts as one run."""
    found: list[Run] = []
    for run in runs:
        if found and run.kind == "text" and (found[-1].kind, found[-1].marked) == ("text", run.marked):
            found[-1] = Run(kind="text", text=found[-1].text + run.text, marked=run.marked)
        elif run.text:
            found.append(run)
    return tuple(found)
