"""SQL on the command line of a database client: where it stands, and the judgement over it (gate-Q25)."""

import re
from collections.abc import Callable, Iterable
from functools import lru_cache

from desktop.policy.shell.read.sql_client_options import (
    CLIENTS,
    HELPERS,
    Client,
    Found,
    double_dash_arguments,
    single_dash_arguments,
)
from desktop.policy.sql.lazy import assess_sql
from desktop.policy.sql.verdict import SqlClass, SqlStatement, SqlVerdict

_CLIENT_COMMAND = re.compile(r"^[ \t]*[\\.]", re.MULTILINE)
_VARIABLE = re.compile(r"\$[A-Za-z_{(]")
_OWN_COMMANDS = {
    "tsql": re.compile(r"^[ \t]*(?::|!!)|\$\(", re.MULTILINE),
    "snowflake": re.compile(r"^[ \t]*!|&", re.MULTILINE),
}
_FROM_INPUT = "It reads its statements from its input, which cannot be seen here."
_FROM_FILE = "It reads its statements from a file, which can change."
_UNKNOWN_OPTION = "It has an option that is not known, so its statements cannot be told from the rest."
_COMMAND = "It contains a command of the client, or a variable, and not SQL alone."
_HELPER = "It copies, creates, changes or drops databases or what is in them."
_INFORMATION = frozenset({"--version", "-V", "--help", "-?", "-version", "-help", "--list", "-l"})


def speaks_sql(argv: tuple[str, ...]) -> bool:
    """Whether the command is a database client, so that `sql_in_argv` may say something of it."""
    return bool(argv) and _is_client(argv[0])


@lru_cache(maxsize=512)
def _is_client(word: str) -> bool:
    program = _program(word)
    return program in HELPERS or program in CLIENTS or program == "bq"


def sql_in_argv(argv: tuple[str, ...], *, stdin: bool) -> tuple[SqlVerdict, ...]:
    """The judgement over each text of SQL that the command would run; () = it is no database client, or runs none.

    `argv` are the words after quotes are removed. What comes from a file, from the input or out of a variable, and
    what is a command of the client, is `opaque`. `stdin`: something is piped or redirected into it.
    """
    program = _program(argv[0]) if argv else ""
    if program in HELPERS:
        return () if _asks_for_information(argv) else (_helper(argv, HELPERS[program]),)
    if program == "bq":
        return _bq(argv)
    client = CLIENTS.get(program)
    if client is None or _asks_for_information(argv):
        return ()
    words = argv[1:]
    if program == "clickhouse":
        if not words or words[0] not in ("client", "local"):
            return (_opaque(argv, _HELPER),) if words else ()
        words = words[1:]
    read: Callable[[Client, tuple[str, ...]], Found | None] = (
        single_dash_arguments if client.single_dash else double_dash_arguments
    )
    found = read(client, words)
    if found is None:
        return (_opaque(argv, _UNKNOWN_OPTION, client.dialect),)
    return _judged(argv, client, found, stdin)


def _judged(argv: tuple[str, ...], client: Client, found: Found, stdin: bool) -> tuple[SqlVerdict, ...]:
    texts = list(found.sql)
    if client.operands_are_sql:
        texts += found.operands[1:]
    verdicts = [_text(text, client.dialect) for text in texts]
    if found.files:
        verdicts.append(_opaque(argv, _FROM_FILE, client.dialect))
    runs = found.runs or (client.operands_are_sql and len(found.operands) > 1)
    if not runs and not found.files:
        verdicts.append(_opaque(argv, _FROM_INPUT, client.dialect))
    return tuple(verdicts)


def _text(text: str, dialect: str) -> SqlVerdict:
    own = _OWN_COMMANDS.get(dialect)
    if _CLIENT_COMMAND.search(text) or _VARIABLE.search(text) or (own and own.search(text)):
        return _opaque((text,), _COMMAND, dialect)
    return assess_sql(text, dialect)


def _program(word: str) -> str:
    return word.replace("\\", "/").rpartition("/")[2].removesuffix(".exe")


def _asks_for_information(argv: tuple[str, ...]) -> bool:
    return len(argv) == 2 and argv[1] in _INFORMATION


def _helper(argv: tuple[str, ...], class_: SqlClass) -> SqlVerdict:
    statement = SqlStatement(kind=_program(argv[0]), class_=class_, destructive=class_ == "destructive")
    return _opaque(argv, _HELPER).model_copy(update={"statements": (statement,)})


def _opaque(words: Iterable[str], reason: str, dialect: str = "") -> SqlVerdict:
    fragment = " ".join(words)[:200]
    return SqlVerdict(
        proven_read=False, code="opaque", reason=reason, fragment=fragment, span=(0, len(fragment)), dialect=dialect
    )


_BQ_READS = frozenset({"ls", "show", "head", "help", "version", "info"})
_BQ_FLAGS = frozenset(
    {
        "use_legacy_sql",
        "nouse_legacy_sql",
        "format",
        "max_rows",
        "n",
        "dry_run",
        "project_id",
        "location",
        "quiet",
        "q",
        "headless",
        "parameter",
        "label",
        "maximum_bytes_billed",
        "nouse_cache",
        "use_cache",
        "nosync",
        "dataset_id",
        "start_row",
        "s",
        "api",
        "synchronous_mode",
        "batch",
    }
)
_BQ_VALUES = frozenset(
    {
        "format",
        "max_rows",
        "n",
        "project_id",
        "location",
        "parameter",
        "label",
        "maximum_bytes_billed",
        "dataset_id",
        "start_row",
        "s",
        "api",
    }
)


def _bq(argv: tuple[str, ...]) -> tuple[SqlVerdict, ...]:
    """`bq query 'text'`; the other commands that only show are none, and what copies, loads or removes is opaque."""
    operands: list[str] = []
    rest = list(argv[1:])
    while rest:
        word = rest.pop(0)
        if not word.startswith("-") or word == "-":
            operands.append(word)
            continue
        name, has_value, _ = word.lstrip("-").partition("=")
        if name not in _BQ_FLAGS:
            return (_opaque(argv, _UNKNOWN_OPTION, "bigquery"),)
        if name in _BQ_VALUES and not has_value and rest:
            rest.pop(0)
    if not operands or operands[0] in _BQ_READS:
        return ()
    if operands[0] != "query":
        return (_opaque(argv, _HELPER, "bigquery"),)
    if len(operands) != 2:
        return (_opaque(argv, _FROM_INPUT, "bigquery"),)
    return (_text(operands[1], "bigquery"),)
