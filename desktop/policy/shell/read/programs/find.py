"""The words of find: roots, then tests and what is done with what they find."""

from collections.abc import Sequence

from desktop.policy.shell.read.options import Arg
from desktop.policy.shell.read.programs.handed import Judge, prove_handed
from desktop.policy.shell.read.programs.names import PLACE, Names, finds_files_only
from desktop.policy.shell.read.proof import Proof
from desktop.policy.shell.read.tables_text import FIND_FLAGS, FIND_PATHS, FIND_VALUED


def prove_find(proof: Proof, args: Sequence[Arg], judge: Judge) -> None:
    """Judges the words behind `find`: every word of the tests must be known."""
    words = list(args)
    while words and words[0].text == "-P" and not words[0].matched:
        words.pop(0)
    proof.known_folders()
    roots: list[str] = []
    while words and not words[0].text.startswith("-") and words[0].text not in ("(", ")", "!", ","):
        roots.append(words[0].text)
        proof.operand(words.pop(0), shows=False)
    names = Names(tuple(roots) or (".",), files_only=finds_files_only([word.text for word in words]))
    while words:
        word = words.pop(0)
        if word.symbolic or word.matched:
            proof.fail("glob", "A glob stands among the tests.", word.text)
        elif word.text in FIND_FLAGS:
            continue
        elif word.text == "-exec":
            _handed(proof, words, names, judge)
        elif word.text in FIND_VALUED or word.text in FIND_PATHS:
            _value(proof, word.text, words)
        else:
            proof.fail("option", "This option is not known to be harmless.", word.text)


def _handed(proof: Proof, words: list[Arg], names: Names, judge: Judge) -> None:
    """A command up to `;`, or `+` behind the place of the names."""
    command: list[Arg] = []
    while words:
        word = words.pop(0)
        if word.text == ";" or (word.text == "+" and command and command[-1].text == PLACE):
            break
        command.append(word)
    else:
        proof.fail("option", "This command of find has no end.", "-exec")
        return
    if any(word.symbolic or word.matched for word in command) or len(command) < 2:
        proof.fail("option", "This command of find cannot be told.", "-exec")
        return
    prove_handed(proof, command, PLACE, names, judge)


def _value(proof: Proof, name: str, words: list[Arg]) -> None:
    if not words:
        proof.fail("option", "This option lacks its value.", name)
        return
    value = words.pop(0)
    if value.symbolic or value.matched:
        proof.fail("glob", "A glob stands where a value should.", value.text)
    elif name in FIND_PATHS:
        proof.path(value.text)
