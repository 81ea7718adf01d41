"""The files that a program which reads whole folders may meet below its roots (gate-S11)."""

from collections.abc import Iterable

from desktop.policy.shell.read.proof import Proof, join


def no_secrets(proof: Proof, roots: Iterable[str]) -> None:
    """The command is not proven when a file that usually holds secrets lies below one of these operands."""
    for place in _places(proof, roots):
        if ".git" in place.split("/"):  # Git's settings there can hold a password
            proof.path(join(place, "config"))
        if proof.world.secret_below(place):
            proof.fail("secret_below", "Files that usually hold secrets lie below.", place)


def no_links_out(proof: Proof, roots: Iterable[str]) -> None:
    """The command is not proven when a link below one of these operands leads out of the lane."""
    for place in _places(proof, roots):
        if proof.world.link_out_below(place):
            proof.fail("link_out", "A link below leads out of the lane.", place)


def _places(proof: Proof, roots: Iterable[str]) -> list[str]:
    folders = proof.known_folders()
    return [join(folder, root) for root in roots for folder in (["."] if root.startswith("/") else folders)]
