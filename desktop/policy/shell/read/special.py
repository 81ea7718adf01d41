"""Programs whose words a row of options cannot describe: test, command, find, sed, printf and the like (gate 6.1)."""

import re
from collections.abc import Callable, Sequence

from desktop.policy.shell.read.options import Arg, Row, read_call
from desktop.policy.shell.read.programs.awk import prove_awk
from desktop.policy.shell.read.programs.sed import prove_sed
from desktop.policy.shell.read.programs.tar import prove_tar
from desktop.policy.shell.read.proof import Proof
from desktop.policy.shell.read.tables_text import JQ_ROW

_SECONDS = re.compile(r"[0-9]+(?:\.[0-9]+)?[sm]?")
_STORES = re.compile(r"%[^A-Za-z%]*[hjlLqtz]*n")
_JQ_NAMES = re.compile(
    r"(?<![A-Za-z0-9_])(?:import|include|input_filename|env|ENV|modulemeta|get_search_list)(?![A-Za-z0-9_])"
)
_INDENTS = tuple("01234567")
_FILE_TESTS = frozenset({"-e", "-f", "-d", "-s", "-r", "-w", "-x", "-L", "-h"})
_WORD_TESTS = frozenset({"-n", "-z"})
_COMPARISONS = frozenset({"=", "==", "!="})
DATE_ROW = Row("-uR -I: --iso-8601: --rfc-3339= -d~", operands="text")


def _echo(proof: Proof, args: Sequence[Arg]) -> None:
    """Whatever its words, they are only printed."""


def _printf(proof: Proof, args: Sequence[Arg]) -> None:
    """Options and `%n` store into variables, PATH too."""
    words = args[1:] if args and args[0].text == "--" else args
    if not words:
        return
    text = words[0].text
    dashed = text.startswith("-") and words is args
    if dashed or words[0].symbolic or words[0].matched or _STORES.search(text.replace("%%", "")):
        proof.fail("option", "This format could set a variable.", text)


def _date(proof: Proof, args: Sequence[Arg]) -> None:
    call = read_call(DATE_ROW, args)
    if call.problem:
        proof.fail("option", *call.problem)
    for arg in call.operands:
        if not arg.text.startswith("+"):
            proof.fail("operand", "This could set the clock.", arg.text)


def _sleep(proof: Proof, args: Sequence[Arg]) -> None:
    if len(args) != 1 or not _SECONDS.fullmatch(args[0].text):
        proof.fail("operand", "sleep is proven with one number only.", " ".join(arg.text for arg in args))


def _command(proof: Proof, args: Sequence[Arg]) -> None:
    if not args or args[0].text not in ("-v", "-V") or args[0].matched or any(a.text.startswith("-") for a in args[1:]):
        proof.fail("program", "Only `command -v` is proven; it runs nothing.", args[0].text if args else "command")


def _test(proof: Proof, args: Sequence[Arg]) -> None:
    """One primary, or `!` and one primary."""
    words = list(args)
    if len(words) > 1 and words[0].text == "!":
        words = words[1:]
    if any(word.symbolic for word in words):
        proof.fail("glob", "A glob gives this test words that are not known.", words[0].text)
    texts = [word.text for word in words]
    if len(texts) == 2 and texts[0] in _FILE_TESTS:
        proof.path(texts[1])
    elif not (len(texts) == 2 and texts[0] in _WORD_TESTS) and not (len(texts) == 3 and texts[1] in _COMPARISONS):
        proof.fail("operand", "This test is more than one plain comparison.", " ".join(texts))


def _bracket(proof: Proof, args: Sequence[Arg]) -> None:
    if not args or args[-1].text != "]" or args[-1].matched:
        proof.fail("operand", "The closing bracket is missing.", "[")
        return
    _test(proof, args[:-1])


def _jq(proof: Proof, args: Sequence[Arg]) -> None:
    call = read_call(JQ_ROW, args)
    if call.problem:
        proof.fail("option", *call.problem)
    for value in call.values("--indent"):
        if value not in _INDENTS:
            proof.fail("option", "The value of this option should be a digit from 0 to 7.", value)
    for path in call.paths:
        proof.operand(Arg(path), shows=True)
    proof.known_folders()
    for at, arg in enumerate(call.operands):
        if at:
            proof.operand(arg, shows=True)
        elif arg.symbolic or arg.matched or _JQ_NAMES.search(arg.text):
            proof.fail("operand", "This filter could read more than its input.", arg.text)


SPECIAL: dict[str, Callable[[Proof, Sequence[Arg]], None]] = {
    "echo": _echo,
    "expr": _echo,
    "printf": _printf,
    "date": _date,
    "sleep": _sleep,
    "command": _command,
    "test": _test,
    "[": _bracket,
    "sed": prove_sed,
    "tar": prove_tar,
    "awk": prove_awk,
    "gawk": prove_awk,
    "mawk": prove_awk,
    "nawk": prove_awk,
    "jq": _jq,
}
