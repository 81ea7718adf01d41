"""The closed list of programs that can be proven to read only (gate 6.1). What is not here is not proven."""

from desktop.policy.shell.read.options import Row
from desktop.policy.shell.read.tables_files import BARE_GLOBS as BARE_GLOBS
from desktop.policy.shell.read.tables_files import BUILTINS as BUILTINS
from desktop.policy.shell.read.tables_files import FILE_ROWS
from desktop.policy.shell.read.tables_files import PUBLIC_VARIABLES as PUBLIC_VARIABLES
from desktop.policy.shell.read.tables_files import SHORT_VERSIONS as SHORT_VERSIONS
from desktop.policy.shell.read.tables_files import TOOLCHAIN_FILES as TOOLCHAIN_FILES
from desktop.policy.shell.read.tables_files import TOOLCHAIN_PROGRAMS as TOOLCHAIN_PROGRAMS
from desktop.policy.shell.read.tables_files import VERSION_PROGRAMS as VERSION_PROGRAMS
from desktop.policy.shell.read.tables_text import TEXT_ROWS

ROWS: dict[str, Row] = {**FILE_ROWS, **TEXT_ROWS}
