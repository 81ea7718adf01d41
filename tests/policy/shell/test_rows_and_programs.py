"""Every row of the tables of reads, compared with what the installed program says of its own options."""

import importlib
import pkgutil
import re
import runpy
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from desktop.policy import shell
from desktop.policy.shell.read.options import Row
from desktop.policy.shell.read.tables_text import FIND_FLAGS, FIND_PATHS, FIND_VALUED
from tests.policy.shell.every_row import EVERY_ROW, misread
from tests.policy.shell.program_options import BASH_ONLY, OTHER_NAMES, Programs, read_help, run, started_by

ON_EVERY_LINUX = frozenset(
    {
        "arch", "b2sum", "base32", "base64", "basename", "cat", "cksum", "cmp", "comm", "cut", "date", "df", "diff",
        "dirname", "du", "egrep", "expand", "false", "fgrep", "fold", "git", "grep", "groups", "gzip", "head",
        "hostname", "iconv", "id", "join", "locale", "ls", "lscpu", "md5sum", "more", "nl", "nproc", "od", "paste",
        "printenv", "pwd", "readlink", "realpath", "rev", "seq", "sha1sum", "sha256sum", "sha512sum", "sort", "stat",
        "tac", "tail", "tr", "true", "tty", "type", "uname", "unexpand", "uniq", "wc", "whereis", "which", "whoami",
        "zcat",
    }
)  # fmt: skip

NOT_IN_DEBIAN = frozenset({"exa", "eza", "tokei"})
"""Programs that not every Debian has a package of."""
TRIED_ONLY = frozenset({"gawk"})
"""Programs without a row, whose scripts are tried."""


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Programs:
    """The programs of this machine."""
    return Programs(tmp_path_factory.mktemp("asked"))


@pytest.mark.parametrize("names", [pytest.param(names, id=" ".join(names)) for names in EVERY_ROW])
def test_a_row_gives_options_the_values_that_the_program_gives_them(names: tuple[str, ...], programs: Programs) -> None:
    program = programs.options_of(*names)

    assert program is None or not list(misread(EVERY_ROW[names], program))


def test_programs_that_could_not_be_compared_are_named(record_property: Callable[[str, object], None]) -> None:
    """Their names stand below the results of the whole run."""
    absent = sorted({name for name, *_ in EVERY_ROW if started_by(name) is None})
    if absent:
        record_property("Not compared with the rows of the gate, because they are not installed", ", ".join(absent))

    assert sys.platform != "linux" or ON_EVERY_LINUX.isdisjoint(absent)


def test_the_test_command_installs_what_is_not_on_every_linux() -> None:
    bootstrap = runpy.run_path(str(Path(__file__).parents[3] / "packaging" / "bootstrap.py"))
    installed = set(bootstrap["READ_PROGRAMS"])

    wanted = {name for name, *_ in EVERY_ROW} - ON_EVERY_LINUX - NOT_IN_DEBIAN
    assert {OTHER_NAMES.get(name, name) for name in wanted} == installed - TRIED_ONLY | (BASH_ONLY & wanted)


def _rows_in(value: object) -> Iterator[Row]:
    if isinstance(value, Row):
        yield value
    elif isinstance(value, dict):
        yield from (row for row in value.values() if isinstance(row, Row))


def test_no_row_of_the_judgement_is_left_out() -> None:
    modules = [
        importlib.import_module(f"{shell.__name__}.{found.name}") for found in pkgutil.iter_modules(shell.__path__)
    ]
    rows = {row for module in modules for value in vars(module).values() for row in _rows_in(value)}

    assert rows <= set(EVERY_ROW.values())


def test_the_words_of_find_take_the_values_that_find_asks_for(tmp_path: Path) -> None:
    """Not every find has all of these words."""
    lacking = re.compile("(?:missing|invalid|additional) argument|unknown (?:predicate|primary)")
    told = {word: run(tmp_path, "find", ".", word) for word in sorted(FIND_FLAGS | FIND_VALUED | FIND_PATHS)}

    assert not {word for word in FIND_FLAGS if "argument" in told[word]}
    assert not {word for word in FIND_VALUED | FIND_PATHS if not lacking.search(told[word])}


def test_rows_that_read_options_in_another_way_than_the_program_are_told(programs: Programs) -> None:
    column, jq, ls = (programs.options_of(name) for name in ("column", "jq", "ls"))

    if column is not None:
        assert list(misread(Row("-tn -s= -c#"), column)) == ["column: -n of the row is required to the program"]
    if jq is not None:
        assert list(misread(Row("--arg="), jq)) == ["jq: --arg= of the row is two to the program"]
    assert ls is not None
    assert len(list(misread(Row("-l= -w --color= --all: --sort"), ls))) == 5


@pytest.mark.parametrize(
    ("line", "options"),
    [
        (" -n, --table-name <name>   a name", {"-n": "required", "--table-name": "required"}),
        ("  -c                 with -lt: sort by", {"-c": "none"}),
        ("      --color[=WHEN]  color the output", {"--color": "optional"}),
        ("  -L, --color[=<mode>]  color", {"--color": "optional"}),
        ("  -c, --bytes=[-]NUM  print", {"-c": "required", "--bytes": "required"}),
        ("  --arg a v        set variable", {"--arg": "two"}),
        ("  -n  -N  ....\t--line-numbers  --LINE-NUMBERS", {"-n": "none", "-N": "none"}),
        ("    --[no-]stat <n>  x", {"--stat": "required", "--no-stat": "none"}),
        ("  -a - --all   Scan", {"-a": "none", "--all": "none"}),
        ("-f is no option of this text", {}),
    ],
)  # fmt: skip
def test_a_line_of_help_is_read_as_people_read_it(line: str, options: dict[str, str]) -> None:
    found = dict(read_help(line))

    assert {name: found.get(name) for name in options} == options
    assert options or not found
