"""The proof that a simple command reads only. By the closed table; everything else is not proven (gate-S6 to
gate-S12)."""

import re
from collections.abc import Callable, Sequence

from desktop.policy.shell.read.git import prove_git
from desktop.policy.shell.read.options import Arg, Call, Row, read_call
from desktop.policy.shell.read.programs.find import prove_find
from desktop.policy.shell.read.programs.handed import prove_xargs
from desktop.policy.shell.read.programs.names import Names
from desktop.policy.shell.read.proof import Proof
from desktop.policy.shell.read.scans import no_links_out, no_secrets
from desktop.policy.shell.read.special import SPECIAL
from desktop.policy.shell.read.tables import (
    BARE_GLOBS,
    BUILTINS,
    PUBLIC_VARIABLES,
    ROWS,
    SHORT_VERSIONS,
    TOOLCHAIN_FILES,
    TOOLCHAIN_PROGRAMS,
    VERSION_PROGRAMS,
)
from desktop.policy.shell.words.lexer import Word

_OLD_FOLLOW = re.compile(r"\+[0-9]*[bcl]?f")
_CHARACTER_SET = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:+-]*(?://(?:TRANSLIT|IGNORE))*")
NOT_LISTED = "This program is not among those that only read."


def prove(proof: Proof, words: Sequence[Word], names: Names | None = None) -> None:
    """Judges one simple command; what keeps it from being proven is noted in `proof`. `names`: those of files that it
    reads from a pipe, None where something else comes."""
    first = words[0]
    name = first.text
    if first.pattern or "/" in name or not name:
        proof.fail("program", "The program is not a bare name.", name)
        return
    row = ROWS.get(name)
    args = proof.expand(words[1:], bare_globs=name in BARE_GLOBS or (row is not None and row.bare_globs))
    _prove_call(proof, name, args, names)


def _prove_call(proof: Proof, name: str, args: Sequence[Arg], names: Names | None = None) -> None:
    row = ROWS.get(name)
    if _is_version(proof, name, args):
        pass
    elif name == "git":
        prove_git(proof, args)
    elif name == "find":
        prove_find(proof, args, _prove_call)
    elif name == "xargs":
        prove_xargs(proof, args, names, _prove_call)
    elif name in SPECIAL:
        SPECIAL[name](proof, args)
    elif row is not None:
        prove_row(proof, name, row, args)
    else:
        proof.fail("program", NOT_LISTED, name)
        return
    if name not in BUILTINS and not proof.world.knows_program(name):
        proof.fail("program", "This program is not on the PATH outside the lane.", name)


def _is_version(proof: Proof, name: str, args: Sequence[Arg]) -> bool:
    if len(args) != 1 or args[0].matched or args[0].symbolic:
        return False
    word = args[0].text
    if not (word == "--version" and name in VERSION_PROGRAMS) and word not in SHORT_VERSIONS.get(name, ()):
        return False
    if name in TOOLCHAIN_PROGRAMS:
        for file in TOOLCHAIN_FILES:
            if proof.world.lane_file(file):
                proof.fail("program", "It runs what a file of the lane names.", file)
    return True


def prove_row(proof: Proof, name: str, row: Row, args: Sequence[Arg]) -> None:
    """Judges one call of a program by its row."""
    call = read_call(row, args)
    if call.problem:
        proof.fail("option", *call.problem)
    if row.operands == "none" and call.operands:
        proof.fail("operand", "This program takes no operands here.", call.operands[0].text)
    if row.most is not None and any(arg.symbolic or arg.matched for arg in call.operands):
        proof.fail("glob", "A glob could give it one operand too many.", name)
    check = CHECKS.get(name)
    if check is not None:
        check(proof, call, args)
    if row.operands in ("none", "text"):
        return
    paths = _paths(proof, name, row, call)
    for value in call.paths:
        proof.path(value)
    is_folder = {arg.text: False for arg in paths}
    for arg in paths:
        is_folder[arg.text] = any(facts.kind == "dir" for facts in proof.operand(arg, shows=row.shows))
    _check_scans(proof, name, call, is_folder)


def _paths(proof: Proof, name: str, row: Row, call: Call) -> list[Arg]:
    """The operands that are paths."""
    proof.known_folders()
    operands = call.operands
    if row.operands == "paths" or call.has("--regexp", "--files", "--type-list"):
        return operands
    if call.has("-e") and name not in ("fd", "fdfind"):
        return operands
    if operands and operands[0].symbolic:
        proof.fail("glob", "A glob stands where a pattern should.", operands[0].text)
    return operands[1:]


def _check_scans(proof: Proof, name: str, call: Call, is_folder: dict[str, bool]) -> None:
    roots = list(is_folder) or ["."]
    if name in ("grep", "egrep", "fgrep") and call.has("-r", "-R", "--recursive", "--dereference-recursive"):
        no_secrets(proof, roots)
        if call.has("-R", "--dereference-recursive"):
            no_links_out(proof, roots)
    elif name == "rg" and not call.has("--files", "--type-list"):
        no_secrets(proof, roots)
    elif name == "diff" and (call.has("-r", "--recursive") or any(is_folder.values())):
        no_secrets(proof, roots)
        no_links_out(proof, roots)
    elif name == "ls" and (call.has("-L") or (call.has("-R", "--recursive") and call.has("-H"))):
        no_links_out(proof, roots)


def _check_less(proof: Proof, call: Call, args: Sequence[Arg]) -> None:
    for arg in args:
        if arg.text.startswith("+") or arg.symbolic.startswith(("*", "?", "[")):
            proof.fail("operand", "A word that begins with + is a command for this program.", arg.text)


def _check_strings(proof: Proof, call: Call, args: Sequence[Arg]) -> None:
    for arg in args:
        if arg.text.startswith("@") or arg.symbolic.startswith(("*", "?", "[")):
            proof.fail("operand", "A word that begins with @ names a file of options.", arg.text)


def _check_tail(proof: Proof, call: Call, args: Sequence[Arg]) -> None:
    for arg in call.operands:
        if _OLD_FOLLOW.fullmatch(arg.text):
            proof.fail("option", "This is the old way to say that it should follow the file.", arg.text)


def _check_packed(proof: Proof, call: Call, args: Sequence[Arg]) -> None:
    """A name without an ending stands for other files too."""
    for arg in call.operands:
        if not arg.text.endswith((".gz", ".tgz", ".Z")):
            proof.fail("operand", "Only names that end as packed files do are proven.", arg.text)


def _check_gzip(proof: Proof, call: Call, args: Sequence[Arg]) -> None:
    """Without one of these it writes a file."""
    if not call.has("-l", "-t", "-c", "--list", "--test", "--stdout"):
        proof.fail("option", "This call would write a file beside the one it reads.", "gzip")
    _check_packed(proof, call, args)


def _check_archive(proof: Proof, call: Call, args: Sequence[Arg]) -> None:
    """It lists or shows one archive; where that is missing it looks for others."""
    if not call.operands or any(sign in call.operands[0].text for sign in "*?["):
        proof.fail("operand", "Only the list of one archive is proven.", "unzip")
        return
    for ending in (".zip", ".ZIP"):
        proof.path(call.operands[0].text + ending)


def _check_unzip(proof: Proof, call: Call, args: Sequence[Arg]) -> None:
    """Without one of these it writes files."""
    if not call.has("-l", "-v", "-p"):
        proof.fail("option", "This call would unpack the archive.", "unzip")
    _check_archive(proof, call, args)


def _check_printenv(proof: Proof, call: Call, args: Sequence[Arg]) -> None:
    if not call.operands or not all(arg.text in PUBLIC_VARIABLES for arg in call.operands):
        proof.fail("operand", "Variables can hold secrets; only some are proven.", "printenv")


def _check_iconv(proof: Proof, call: Call, args: Sequence[Arg]) -> None:
    """A name with a slash is that of a file, of which it reads what the characters are."""
    for name in call.values("-f", "-t", "--from-code", "--to-code"):
        if not _CHARACTER_SET.fullmatch(name):
            proof.fail("option", "This is no plain name of a character set.", name)
        proof.path(name)


Check = Callable[[Proof, Call, Sequence[Arg]], None]
CHECKS: dict[str, Check] = {
    "less": _check_less,
    "more": _check_less,
    "strings": _check_strings,
    "nm": _check_strings,
    "readelf": _check_strings,
    "size": _check_strings,
    "tail": _check_tail,
    "gzip": _check_gzip,
    "zcat": _check_packed,
    "unzip": _check_unzip,
    "zipinfo": _check_archive,
    "printenv": _check_printenv,
    "iconv": _check_iconv,
}
