"""The list of what is in an archive of tar."""

import re
from collections.abc import Sequence

from desktop.policy.shell.read.options import Arg
from desktop.policy.shell.read.proof import Proof

_LISTING = re.compile(r"-?[tvzjJ]*f")


def prove_tar(proof: Proof, args: Sequence[Arg]) -> None:
    """Judges `tar tf archive` with members, in this form only. A colon in the name of an archive is a host for GNU
    tar, a later word with a dash an option that could run a program."""
    words = [arg.text for arg in args]
    if len(words) < 2 or not _LISTING.fullmatch(words[0]) or "t" not in words[0]:
        proof.fail("operand", "Only the list of an archive is proven: tar tf archive.", " ".join(words)[:80])
        return
    if any(arg.symbolic or arg.matched for arg in args[:2]) or ":" in words[1] or words[1] == "-":
        proof.fail("operand", "The archive is not a plain file.", words[1])
    if any(word.startswith("-") or arg.symbolic for word, arg in zip(words[1:], args[1:], strict=True)):
        proof.fail("option", "Only the list of an archive is proven: tar tf archive.", " ".join(words)[:80])
    proof.path(words[1])
