"""SHOW, DESCRIBE, EXISTS and EXPLAIN of the servers whose forms the parser has no tree for, read from the text itself.

Each form is a closed list of words from the manual of its server, then names and a pattern: no bracket, no operator and
no word that stores the answer. What is explained must be a proven read by itself, so it does not matter whether it is
only planned. SHOW passes only in servers where it is known to list (gate-Q12).
"""

from collections.abc import Sequence

from desktop.policy.sql.reading.dialects import Dialect
from desktop.policy.sql.reading.lexer import Lexeme

_SHOWN = {
    "snowflake": """TABLES VIEWS SCHEMAS DATABASES WAREHOUSES COLUMNS USERS ROLES STAGES FUNCTIONS PROCEDURES GRANTS
        PARAMETERS STREAMS TASKS PIPES SEQUENCES VARIABLES OBJECTS TRANSACTIONS LOCKS INTEGRATIONS SHARES REGIONS
        TAGS ALERTS CHANNELS SECRETS MODELS ORGANIZATION GLOBAL APPLICATIONS NOTEBOOKS SERVICES
        PRIMARY|KEYS IMPORTED|KEYS EXPORTED|KEYS UNIQUE|KEYS FILE|FORMATS MATERIALIZED|VIEWS EXTERNAL|TABLES
        DYNAMIC|TABLES EVENT|TABLES ICEBERG|TABLES HYBRID|TABLES USER|FUNCTIONS EXTERNAL|FUNCTIONS MASKING|POLICIES
        ROW|ACCESS|POLICIES NETWORK|POLICIES PASSWORD|POLICIES SESSION|POLICIES RESOURCE|MONITORS FUTURE|GRANTS
        STORAGE|INTEGRATIONS SECURITY|INTEGRATIONS API|INTEGRATIONS NOTIFICATION|INTEGRATIONS DATABASE|ROLES
        COMPUTE|POOLS IMAGE|REPOSITORIES TERSE|TABLES TERSE|SCHEMAS TERSE|DATABASES TERSE|VIEWS TERSE|OBJECTS
        TERSE|USERS CONNECTIONS FAILOVER|GROUPS REPLICATION|DATABASES REPLICATION|GROUPS CLASSES""",
    "duckdb": "TABLES DATABASES SCHEMAS VARIABLES ALL|TABLES TABLES|FROM",
    "mysql": """DATA LOAD TABLET PARTITIONS BACKENDS FRONTENDS TABLETS BACKUP RESTORE ROUTINE|LOAD ALTER|TABLE
        MATERIALIZED|VIEWS PROPERTY ROLES SNAPSHOT RESOURCES DYNAMIC|PARTITION|TABLES EXPORT PIPELINES PARTITIONS|ON
        AGGREGATORS LEAVES PARTITIONS|FROM GRANTS|FOR""",
}
_DESCRIBED = {
    "snowflake": """VIEW DATABASE SCHEMA USER WAREHOUSE STREAM TASK PIPE SEQUENCE FILE|FORMAT
        MATERIALIZED|VIEW DYNAMIC|TABLE EXTERNAL|TABLE EVENT|TABLE ICEBERG|TABLE MASKING|POLICY ROW|ACCESS|POLICY
        NETWORK|POLICY PASSWORD|POLICY SESSION|POLICY SHARE ALERT SECRET INTEGRATION STORAGE|INTEGRATION
        SECURITY|INTEGRATION API|INTEGRATION NOTIFICATION|INTEGRATION ROLE""",
    "spark": "DATABASE SCHEMA CATALOG NAMESPACE FUNCTION DATABASE|EXTENDED SCHEMA|EXTENDED FUNCTION|EXTENDED VOLUME",
    "dremio": "SCHEMA FUNCTION",
    "drill": "SCHEMA",
}
_STORES = frozenset(["INTO", "OUTFILE", "FORMAT", "CALL", "DROP", "DELETE", "INSERT", "UPDATE"])
_PATTERN = frozenset(["LIKE", "ILIKE", "REGEXP", "STARTS", "WITH", "FROM"])
_EXPLAIN_WORDS = {
    "snowflake": frozenset(["USING", "TEXT", "JSON", "TABULAR"]),
    "clickhouse": frozenset(["AST", "SYNTAX", "QUERY", "TREE", "PLAN", "PIPELINE", "ESTIMATE"]),
    "spark": frozenset(["EXTENDED", "CODEGEN", "COST", "FORMATTED", "CBO", "AST", "DEPENDENCY", "LOGICAL"]),
    "trino": frozenset[str](),
    "teradata": frozenset[str](),
    "dremio": frozenset(["PLAN", "FOR"]),
    "drill": frozenset(["PLAN", "FOR"]),
    "druid": frozenset(["PLAN", "FOR"]),
}
_QUERIES = frozenset(["SELECT", "WITH", "VALUES"])
_PATHS = frozenset("/\\:@")


def listing_passes(lexemes: Sequence[Lexeme], dialect: Dialect) -> bool:
    """Whether it is a listing or a description of the catalogue that only reads."""
    first = lexemes[0].word
    if first == "EXISTS" and dialect.family == "clickhouse":
        return len(lexemes) > 1 and _plain(lexemes[1:])
    forms = _SHOWN if first == "SHOW" else _DESCRIBED if first in ("DESCRIBE", "DESC") else {}
    shown = forms.get(dialect.family, "")
    words = [lexeme.word for lexeme in lexemes[1:]]
    if (first == "SHOW" and _STORES & set(words)) or not _plain(lexemes[1:]):
        return False
    return any(words[: len(form)] == form for form in (one.split("|") for one in shown.split()))


def explained(lexemes: Sequence[Lexeme], dialect: Dialect) -> tuple[Lexeme, ...]:
    """The query behind EXPLAIN and the words that say how its plan is shown; empty where it is anything else."""
    words = _EXPLAIN_WORDS.get(dialect.family)
    if words is None:
        return ()
    rest = list(lexemes[1:])
    while rest and rest[0].word in words:
        rest.pop(0)
    return tuple(rest) if rest and rest[0].word in _QUERIES else ()


def _plain(lexemes: Sequence[Lexeme]) -> bool:
    """Names, dots between them, and strings where a pattern or a prefix may stand."""
    for before, lexeme in zip((None, *lexemes), lexemes, strict=False):
        if lexeme.kind == "string" and (before is None or before.word not in _PATTERN):
            return False
        if lexeme.kind == "name" and _PATHS & set(lexeme.text):
            return False
        if lexeme.kind == "mark" and lexeme.text not in (".", "*"):
            return False
    return True
