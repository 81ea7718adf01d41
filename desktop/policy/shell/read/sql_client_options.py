"""The options of database clients: which carry SQL, which name a file, which have a value (gate-Q25).

From the manuals of psql 18, mysql 8.4, MariaDB 11, the sqlite3 shell 3.51, duckdb 1.4, sqlcmd 18, snowsql 1.3 and
clickhouse-client 25. An option that is not here makes the command line unreadable, so nothing of it is proven.
"""

from dataclasses import field

from desktop.policy.sql.verdict import SqlClass
from desktop.records import dataclass

_NONE: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Client:
    """One client program of a database. Short options are letters, long ones names without dashes.

    `sql`: options whose value is SQL that the client runs; `first`: such that it runs before it goes on to its input;
    `files`: options that name a file of statements. `optional`: a short option whose value, if any, is attached.
    """

    dialect: str
    flags: frozenset[str]
    values: frozenset[str]
    sql: frozenset[str] = _NONE
    first: frozenset[str] = _NONE
    files: frozenset[str] = _NONE
    optional: frozenset[str] = _NONE
    single_dash: bool = False
    operands_are_sql: bool = False


@dataclass
class Found:
    """The parts of a client's command line: texts of SQL, files, the operands in order. `runs`: a text was found that
    ends the work."""

    sql: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    operands: list[str] = field(default_factory=list)
    runs: bool = False

    def note(self, client: Client, name: str, value: str) -> None:
        """Sort the value of an option."""
        if name in client.sql | client.first:
            self.sql.append(value)
            self.runs = self.runs or name in client.sql
        elif name in client.files:
            self.files.append(value)


def double_dash_arguments(client: Client, words: tuple[str, ...]) -> Found | None:
    """Read arguments as getopt does: clusters of letters, attached values, prefixes of long names. None: unknown."""
    found = Found()
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word == "--":
            found.operands += rest
            break
        if word == "-" or not word.startswith("-"):
            found.operands.append(word)
            continue
        read = _long(client, word[2:], rest, found) if word.startswith("--") else _short(client, word[1:], rest, found)
        if not read:
            return None
    return found


def single_dash_arguments(client: Client, words: tuple[str, ...]) -> Found | None:
    """Read arguments of a client whose options are whole words after one dash or two. None: unknown."""
    found = Found()
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if not word.startswith("-") or word == "-":
            found.operands.append(word)
            continue
        name = word[2:] if word.startswith("--") else word[1:]
        if name == "":
            found.operands += rest
            break
        if name in client.flags:
            continue
        if name not in _with_value(client) or not rest:
            return None
        found.note(client, name, rest.pop(0))
    return found


def _with_value(client: Client) -> frozenset[str]:
    return client.values | client.sql | client.first | client.files


def _long(client: Client, word: str, rest: list[str], found: Found) -> bool:
    written, has_value, value = word.partition("=")
    name = _full_name(client, written.replace("_", "-"))
    if name in client.flags:
        return True
    if name not in _with_value(client):
        return False
    if not has_value:
        if not rest:
            return False
        value = rest.pop(0)
    found.note(client, name, value)
    return True


def _full_name(client: Client, written: str) -> str:
    names = [name for name in client.flags | _with_value(client) | client.optional if len(name) > 1]
    if written in names:
        return written
    meant = [name for name in names if name.startswith(written)]
    return meant[0] if len(meant) == 1 else ""


def _short(client: Client, cluster: str, rest: list[str], found: Found) -> bool:
    while cluster:
        letter, cluster = cluster[0], cluster[1:]
        if letter in client.optional:
            return True
        if letter in client.flags:
            continue
        if letter not in _with_value(client):
            return False
        if not cluster and not rest:
            return False
        value = cluster or rest.pop(0)
        found.note(client, letter, value.removeprefix("=") if cluster and letter not in client.sql else value)
        return True
    return True


_PSQL = Client(
    dialect="postgres",
    flags=frozenset({
        *"aAbeEHlnqsStwWxX0z1", "echo-all", "no-align", "echo-errors", "echo-queries", "echo-hidden", "html", "list",
        "no-readline", "quiet", "single-step", "single-line", "tuples-only", "no-password", "password", "expanded",
        "no-psqlrc", "field-separator-zero", "record-separator-zero", "single-transaction", "csv",
    }),
    values=frozenset({
        *"dhpUvoLPFRT", "dbname", "host", "port", "username", "set", "variable", "output", "log-file", "pset",
        "field-separator", "record-separator", "table-attr",
    }),
    sql=frozenset({"c", "command"}),
    files=frozenset({"f", "file"}),
)  # fmt: skip
_MYSQL = Client(
    dialect="mysql",
    flags=frozenset({
        *"AbBCEfGHijkLnNoqrstTvVwWX", "no-auto-rehash", "auto-rehash", "batch", "compress", "vertical", "force",
        "html", "ignore-spaces", "line-numbers", "skip-line-numbers", "unbuffered", "column-names",
        "skip-column-names", "quick", "raw", "silent", "table", "verbose", "wait", "xml", "no-defaults",
        "safe-updates", "comments", "skip-comments", "binary-mode", "column-type-info", "no-beep", "show-warnings",
        "reconnect", "skip-reconnect", "ssl", "skip-ssl", "no-tee", "i-am-a-dummy", "password",
    }),
    values=frozenset({
        *"hPuDS", "host", "port", "user", "database", "socket", "protocol", "defaults-file", "defaults-extra-file",
        "defaults-group-suffix", "login-path", "default-character-set", "connect-timeout", "max-allowed-packet",
        "ssl-mode", "ssl-ca", "ssl-cert", "ssl-key", "select-limit", "max-join-size", "plugin-dir", "default-auth",
        "character-sets-dir", "net-buffer-length", "tls-version", "bind-address", "zstd-compression-level",
        "compression-algorithms",
    }),
    sql=frozenset({"e", "execute"}),
    first=frozenset({"init-command", "init-command-add"}),
    optional=frozenset({"p"}),
)  # fmt: skip
_SQLITE = Client(
    dialect="sqlite",
    flags=frozenset({
        "append", "ascii", "bail", "batch", "box", "column", "csv", "deserialize", "echo", "header", "headers",
        "html", "interactive", "json", "line", "list", "markdown", "memtrace", "nofollow", "noheader", "pcachetrace",
        "quote", "readonly", "safe", "stats", "table", "tabs", "no-rowid-in-view",
    }),
    values=frozenset({
        "maxsize", "mmap", "newline", "nonce", "nullvalue", "separator", "vfs", "heap", "escape", "screenwidth",
    }),
    first=frozenset({"cmd"}),
    files=frozenset({"init"}),
    single_dash=True,
    operands_are_sql=True,
)  # fmt: skip
_DUCKDB = Client(
    dialect="duckdb",
    flags=frozenset({
        "ascii", "bail", "batch", "box", "column", "csv", "echo", "header", "headers", "html", "interactive", "json",
        "jsonlines", "line", "list", "markdown", "no-stdin", "noheader", "quote", "readonly", "safe", "table",
        "unsigned", "no-init",
    }),
    values=frozenset({
        "newline", "nullvalue", "separator",
    }),
    sql=frozenset({"c", "s"}),
    first=frozenset({"cmd"}),
    files=frozenset({"f", "file", "init"}),
    single_dash=True,
    operands_are_sql=True,
)  # fmt: skip
_SQLCMD = Client(
    dialect="tsql",
    flags=frozenset(
        {
            *"EeIkLNCGgRrXxjpb1",
            "trust-server-certificate",
            "use-trusted-connection",
        }
    ),
    values=frozenset(
        {
            *"SUPdswhltmVaHcDfKMYyuWvzZoFA",
            "server",
            "user-name",
            "database-name",
            "output-file",
            "variables",
        }
    )
    - frozenset({"W"}),
    sql=frozenset({"Q", "query"}),
    first=frozenset({"q", "initial-query"}),
    files=frozenset({"i", "input-file"}),
    optional=frozenset({"W"}),
)
_SQLPLUS = Client(dialect="oracle", flags=frozenset("SsLl"), values=frozenset("CM"))
_SNOWSQL = Client(
    dialect="snowflake",
    flags=frozenset(
        {
            "noup",
            "disable-request-pooling",
            "abort-detached-query",
            "v",
        }
    ),
    values=frozenset(
        {
            *"aucdsrwhpoD",
            "accountname",
            "username",
            "connection",
            "dbname",
            "schemaname",
            "rolename",
            "warehouse",
            "host",
            "port",
            "option",
            "variable",
            "region",
            "config",
            "authenticator",
            "private-key-path",
            "token",
        }
    ),
    sql=frozenset({"q", "query"}),
    files=frozenset({"f", "filename"}),
)
_CLICKHOUSE = Client(
    dialect="clickhouse",
    flags=frozenset(
        {
            *"nmtEV",
            "multiquery",
            "multiline",
            "vertical",
            "time",
            "echo",
            "secure",
            "highlight",
            "stacktrace",
        }
    ),
    values=frozenset(
        {
            *"hudf",
            "host",
            "port",
            "user",
            "password",
            "database",
            "format",
            "output-format",
            "config-file",
        }
    ),
    sql=frozenset({"q", "query"}),
    files=frozenset({"queries-file"}),
)

CLIENTS: dict[str, Client] = {
    "psql": _PSQL,
    "mysql": _MYSQL,
    "mariadb": _MYSQL,
    "sqlite3": _SQLITE,
    "sqlite": _SQLITE,
    "duckdb": _DUCKDB,
    "sqlcmd": _SQLCMD,
    "sqlplus": _SQLPLUS,
    "snowsql": _SNOWSQL,
    "clickhouse-client": _CLICKHOUSE,
    "clickhouse-local": _CLICKHOUSE,
    "clickhouse": _CLICKHOUSE,
}

HELPERS: dict[str, SqlClass] = {
    "pg_dump": "opaque", "pg_dumpall": "opaque", "pg_restore": "destructive", "pg_basebackup": "opaque",
    "createdb": "schema", "dropdb": "destructive", "createuser": "privilege", "dropuser": "privilege",
    "vacuumdb": "schema", "reindexdb": "schema", "clusterdb": "schema", "pgbench": "write",
    "pg_upgrade": "schema", "pg_resetwal": "destructive", "pg_rewind": "destructive", "initdb": "schema",
    "pg_ctl": "opaque", "pg_createsubscriber": "schema",
    "mysqldump": "opaque", "mysqlpump": "opaque", "mysqladmin": "destructive", "mysqlimport": "write",
    "mysqlcheck": "schema", "mysqlslap": "write", "mysql_upgrade": "schema", "mysql_tzinfo_to_sql": "opaque",
    "mysqlbinlog": "opaque", "mysqlsh": "opaque",
    "mariadb-dump": "opaque", "mariadb-admin": "destructive", "mariadb-import": "write", "mariadb-check": "schema",
    "mariadb-slap": "write", "mariadb-upgrade": "schema", "mariadb-backup": "opaque", "mariadb-binlog": "opaque",
    "sqlite3_rsync": "write", "bcp": "write", "sqlpackage": "schema", "sqlldr": "write", "expdp": "opaque",
    "impdp": "write", "rman": "opaque", "clickhouse-copier": "write", "clickhouse-backup": "opaque",
    "clickhouse-server": "opaque", "mysqld": "opaque", "mariadbd": "opaque", "cockroach": "opaque", "usql": "opaque",
    "pgcli": "opaque", "mycli": "opaque", "litecli": "opaque", "mssql-cli": "opaque",
}  # fmt: skip
