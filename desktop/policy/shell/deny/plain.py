"""Lines of plain words, read at once: what is known of them needs no reader for the whole shell."""

import re
from collections.abc import Sequence
from dataclasses import field

from desktop.policy.shell.deny.call import ANY, MAX_PLAIN_WORDS, Call, DenyPlaces
from desktop.policy.shell.deny.classes.leak import SPOKEN_TO
from desktop.policy.shell.deny.classes.paths import start_folder
from desktop.policy.shell.deny.reader.builtins import BUILTINS
from desktop.policy.shell.deny.reader.flow import stores
from desktop.policy.shell.deny.reader.nodes import SOME
from desktop.policy.shell.deny.reader.walk import names_of, runs_nothing
from desktop.policy.shell.words.lexer import RESERVED
from desktop.records import dataclass

MAX_LINE = 2_000
MAX_COMMANDS = 40
_NULL = r"(?:[12&]?>>?[ \t]*/dev/null|2>&1|1?>&2)"
_TO_FILE = r"(?:[12&]?>>?|0?<)[ \t]*"
_REST = r"\]^_a-{|}~"  # of what ASCII prints, without quotes, backslash, backtick and dollar
_QUOTED = rf"'[ !\"#%&(-\[{_REST}]*+'|\"[ !#%&'(-\[{_REST}]*+\""
_BARE = r"A-Za-z0-9_./,:+@%^=*?\[\]-"
_WORD = rf"(?:[{_BARE}]|{_QUOTED})(?:[~{_BARE}]|{_QUOTED})*"
_ENDS = r"(?=[ \t\n;|&]|\Z)"
_OPERATOR = r"&&|\|\|(?!&)|\|(?![&|])|;(?![;&])|\n"
_TOKEN = re.compile(
    rf"[ \t]*+(?:(?P<redirect>{_NULL}{_ENDS})|(?P<word>{_WORD}{_ENDS})|(?P<operator>{_OPERATOR}|\Z)"
    rf"|{_TO_FILE}(?P<file>[A-Za-z0-9_][A-Za-z0-9_./-]*+){_ENDS})"
)
_BARE_LINE = re.compile(rf"(?:[ \t]*+[{_BARE}][~{_BARE}]*+(?=[ \t]|\Z))+[ \t]*+")
_QUOTES = re.compile(r"'([^']*)'|\"([^\"]*)\"")
_PROGRAM = re.compile(r"[A-Za-z0-9_./][A-Za-z0-9_./+-]*")


@dataclass(slots=True)
class PlainCommand:
    """One simple command of plain words; `writes` and `reads` are relative files of its redirects. `operator` stands
    before it."""

    operator: str
    argv: list[str] = field(default_factory=list)
    writes: list[str] = field(default_factory=list)
    reads: list[str] = field(default_factory=list)


def plain_commands(line: str) -> list[PlainCommand] | None:
    """The simple commands of a line that holds nothing but plain words, operators and harmless redirects or such to a
    file; None for every other line."""
    if len(line) > MAX_LINE:
        return None
    if _BARE_LINE.fullmatch(line):
        return [PlainCommand("\n", line.split())]
    commands: list[PlainCommand] = []
    current = PlainCommand("\n")
    at = 0
    while found := _TOKEN.match(line, at):
        at = found.end()
        kind = found.lastgroup
        if kind == "word":
            word = found["word"]
            current.argv.append(_QUOTES.sub(r"\1\2", word) if "'" in word or '"' in word else word)
        elif kind == "file":
            (current.reads if "<" in found[0] else current.writes).append(found["file"])
        elif kind == "operator":
            operator = found["operator"]
            if current.argv or current.writes or current.reads:
                commands.append(current)
            elif operator not in {"", "\n"} or current.operator not in {"\n", ";"}:
                return None
            if not operator or len(commands) > MAX_COMMANDS:
                return commands if not operator else None
            current = PlainCommand(operator)
    return None


def plain_calls(commands: Sequence[PlainCommand], places: DenyPlaces) -> list[Call] | None:
    """The calls of a line of plain words, as the whole reader would find them; None where one of them runs something
    else, changes what later ones mean, or could be a file that the line itself wrote."""
    folder = start_folder(places)
    calls = []
    for command in commands:
        argv = command.argv
        names = names_of(argv[0]) if argv and _may_be_program(argv) else ()
        if len(names) != 1 or names[0] == ANY:
            return None
        call = Call(names[0], argv, folder, "", command.writes, command.reads)
        if command.reads or command.operator == "|":
            call.stdin = SOME
        if command.operator == "|" and (call.program in SPOKEN_TO or call.program == "parallel"):
            return None
        if call.program in BUILTINS or not runs_nothing(call.program, call.args):
            return None
        if len(commands) > 1 and (call.writes or stores(call.program)):
            return None
        calls.append(call)
    return calls


def _may_be_program(argv: list[str]) -> bool:
    if len(argv) > MAX_PLAIN_WORDS or argv[0] in RESERVED or not _PROGRAM.fullmatch(argv[0]):
        return False
    return not any(word.startswith("~") for word in argv)
