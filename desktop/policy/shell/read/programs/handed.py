"""Programs that xargs or find starts with names of files, as far as these only read (gate-S7)."""

import re
from collections.abc import Callable, Sequence

from desktop.policy.shell.read.options import Arg
from desktop.policy.shell.read.programs.names import PLACE, Names, needs_pattern
from desktop.policy.shell.read.proof import Proof, join
from desktop.policy.shell.read.scans import no_links_out, no_secrets

Judge = Callable[[Proof, str, Sequence[Arg]], None]
READERS = frozenset(
    {
        "grep",
        "egrep",
        "fgrep",
        "wc",
        "head",
        "tail",
        "cat",
        "tac",
        "nl",
        "ls",
        "stat",
        "file",
        "du",
        "md5sum",
        "sed",
        "sha1sum",
        "sha256sum",
        "cksum",
        "cut",
        "sort",
        "basename",
        "dirname",
        "realpath",
        "readlink",
        "echo",
    }
)
_SAY_NAMES = frozenset({"basename", "dirname", "echo"})
_ALONE = re.compile(r"-(?:0|r|0r|r0|[nPL][0-9]{1,4}|I\{\})|--null|--no-run-if-empty")
_ZERO = frozenset({"-0", "-0r", "-r0", "--null"})
_COUNTED = frozenset({"-n", "-P", "-L"})


def prove_xargs(proof: Proof, args: Sequence[Arg], names: Names | None, judge: Judge) -> None:
    """Judges the words behind `xargs`, which reads these names."""
    if any(arg.symbolic or arg.matched for arg in args):
        proof.fail("glob", "A glob stands among the words of xargs.", "xargs")
    options, command = _split(args)
    if names is None or command is None or names.zero != bool(_ZERO & set(options)):
        proof.fail("program", "xargs is proven behind a list of the lane's own files only.", "xargs")
        return
    _check_names(proof, names)
    place = PLACE if {"-I", "-I{}"} & set(options) else ""
    prove_handed(proof, command, place, names, judge)


def _split(args: Sequence[Arg]) -> tuple[list[str], list[Arg] | None]:
    """The options and the command, None where there is none or an option is not known to be harmless."""
    words = list(args)
    options: list[str] = []
    while words and words[0].text.startswith("-"):
        option = words.pop(0).text
        options.append(option)
        value = words.pop(0).text if words and (option in _COUNTED or option == "-I") else ""
        counted = option in _COUNTED and value.isdecimal()
        if not (_ALONE.fullmatch(option) or counted or (option == "-I" and value == PLACE)):
            return options, None
    return options, words or None


def _check_names(proof: Proof, names: Names) -> None:
    """A name with a blank would become two words, one that begins with a dash an option."""
    if names.zero and names.rooted:
        return
    for folder in proof.known_folders():
        for root in names.roots:
            if proof.world.odd_name_below(join(folder, root) if not root.startswith("/") else root):
                proof.fail("names", "A name below could be taken for more than one word, or for an option.", root)


def prove_handed(proof: Proof, command: Sequence[Arg], place: str, names: Names, judge: Judge) -> None:
    """Judges a command that gets names, where `place` stands or at its end. For a root stands any name below it too, so
    that it is taken for one that a glob made, which is never the script of a program."""
    name, words = command[0].text, list(command[1:])
    if name not in READERS:
        proof.fail("program", "This program is not among those that only read what they are handed.", name)
        return
    without = [word for word in words if not place or word.text != place]
    if any(PLACE in word.text for word in without) or needs_pattern(name, without):
        proof.fail("operand", "Where the names stand among these words cannot be told.", name)
    roots = [Arg(root, matched=True) for root in names.roots]
    with_names = [arg for word in words for arg in (roots if place and word.text == place else [word])]
    for given in (without, with_names if place else [*words, *roots]):
        inner = Proof(proof.findings, proof.folders)
        judge(inner, name, given)
        if inner.problem:
            proof.fail(*inner.problem)
    if name not in _SAY_NAMES:
        no_secrets(proof, names.roots)
        if not names.files_only:
            no_links_out(proof, names.roots)
