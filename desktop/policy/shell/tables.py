"""Which programs and options a proven read may use. A short, closed list: whatever is not here is not proven."""

from typing import Literal

from desktop.domain.base import Frozen


class ProgramRow(Frozen):
    """One program. `flags`: short options without a value, `valued`: short options that take one; `long` likewise
    without, `long_valued` with. `operands`: what its other words are (text: options too).
    `counts`: `-5` is a number of lines. `default_path`: without operands it looks at the folder it runs in."""

    flags: str = ""
    valued: str = ""
    long: frozenset[str] = frozenset()
    long_valued: frozenset[str] = frozenset()
    operands: Literal["paths", "text", "none"] = "paths"
    counts: bool = False
    default_path: bool = False


_LS_LONG = frozenset({"all", "almost-all", "directory", "human-readable", "inode", "reverse", "size", "recursive"})

PROGRAMS: dict[str, ProgramRow] = {
    "pwd": ProgramRow(flags="LP", operands="none"),
    "true": ProgramRow(operands="none"),
    "echo": ProgramRow(operands="text"),
    "ls": ProgramRow(
        flags="1aAbBcCdFgGhiklmnNopqQrRsStuUvxXZ",
        long=_LS_LONG,
        long_valued=frozenset({"sort", "time"}),
        default_path=True,
    ),
    "cat": ProgramRow(flags="AbeEnstTuv"),
    "head": ProgramRow(flags="qvz", valued="nc", long_valued=frozenset({"lines", "bytes"}), counts=True),
    "tail": ProgramRow(flags="qvz", valued="nc", long_valued=frozenset({"lines", "bytes"}), counts=True),
    "wc": ProgramRow(flags="clmwL", long=frozenset({"lines", "words", "bytes", "chars"})),
    "file": ProgramRow(flags="bih", long=frozenset({"mime", "mime-type"})),
    "stat": ProgramRow(flags="t"),
    "du": ProgramRow(
        flags="abchkmsx", valued="d", long=frozenset({"apparent-size"}), long_valued=frozenset({"max-depth"}),
        default_path=True,
    ),
}  # fmt: skip
