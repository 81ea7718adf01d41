"""All rows by which the judgement reads the words of programs, and what a sign of a row says of an option."""

from collections.abc import Iterator

from desktop.policy.shell.read.options import Row, known_options
from desktop.policy.shell.read.special import DATE_ROW
from desktop.policy.shell.read.tables import ROWS
from desktop.policy.shell.read.tables_git import GIT_ROWS
from desktop.policy.shell.read.tables_text import JQ_ROW
from tests.policy.shell.program_options import Arity, ProgramOptions

EVERY_ROW: dict[tuple[str, ...], Row] = {
    **{(name,): row for name, row in ROWS.items()},
    **{("git", *name.split()): row for name, row in GIT_ROWS.items()},
    ("jq",): JQ_ROW,
    ("date",): DATE_ROW,
}
"""By program, and sub-command of Git."""

_READ_RIGHT: dict[str, frozenset[Arity]] = {
    "": frozenset({"none", "unknown"}),
    ":": frozenset({"optional", "unknown"}),
    "?": frozenset({"required", "unknown"}),
    "!": frozenset({"none", "required", "optional", "two", "unknown"}),
}


def misread(row: Row, program: ProgramOptions) -> Iterator[str]:
    """The options of a row that the program itself reads in another way, each with what is wrong. What its help says
    counts, unless the program, asked, does what the row says; a short one without a value is asked for in any case,
    because not every program reads several in one word. An option that the program refuses does no harm, nor does one
    that is never proven."""
    for option, sign in known_options(row).items():
        wanted: Arity = "two" if len(sign) == 2 else "required"
        right = _READ_RIGHT.get(sign, {wanted, "unknown"})
        believed = program.told(option) in right and not (len(option) == 2 and not sign)
        if not believed and (arity := program.asked(option)) not in right:
            yield f"{' '.join(program.argv)}: {option}{sign} of the row is {arity} to the program"
