"""The git commands that only read (gate-S14)."""

import re
from collections.abc import Sequence

from desktop.policy.shell.read.folders import entered
from desktop.policy.shell.read.git_shown import no_hidden_secrets
from desktop.policy.shell.read.options import Arg, Call, read_call
from desktop.policy.shell.read.proof import Proof
from desktop.policy.shell.read.scans import no_secrets
from desktop.policy.shell.read.tables_git import (
    GIT_CONFIG_NAMES,
    GIT_GLOBAL_FLAGS,
    GIT_NESTED,
    GIT_ROWS,
    OPERANDS_WITH,
)
from desktop.policy.shell.read.world import SETTINGS_CHANGED

GIT_CHANGED = "The repository's Git settings changed since this chat was opened."
_FORMAT_OPTIONS = ("--format", "--pretty", "--sort")
_SIGNATURE = re.compile(r"%[-+ ]?G|signature", re.IGNORECASE)
"""Placeholders and sort keys for which Git runs the program that checks signatures."""


def prove_git(proof: Proof, args: Sequence[Arg]) -> None:
    """Judges the words behind `git`."""
    rest = _after_global_options(proof, list(args))
    if not rest:
        proof.fail("program", "This git command is not among those that only read.", "git")
        return
    name, words = _sub_command(rest)
    row = GIT_ROWS.get(name)
    if row is None or rest[0].symbolic or rest[0].matched:
        proof.fail("program", "This git command is not among those that only read.", f"git {name}")
        return
    proof.findings.git_reads = True
    call = read_call(row, words)
    if call.problem:
        proof.fail("option", *call.problem)
    _check_values(proof, call)
    operands = _operands(proof, name, call)
    if name == "grep" or call.has("--no-index"):
        roots = operands or [Arg(folder) for folder in proof.known_folders()]
        no_secrets(proof, [root.text for root in roots])
    for arg in operands if row.operands != "text" else ():
        _check_operand(proof, arg, shows=row.shows)
    _check_configuration(proof)
    no_hidden_secrets(proof, name, call, words)


def _after_global_options(proof: Proof, words: list[Arg]) -> list[Arg]:
    """What follows Git's own options; `-C` changes the folder."""
    while words and words[0].text.startswith("-"):
        text = words.pop(0).text
        if text == "-C" and words and not words[0].symbolic:
            proof.folders = entered(proof, words.pop(0).text)
        elif text not in GIT_GLOBAL_FLAGS:
            proof.fail("option", "This option is not known to be harmless.", text)
    return words


def _sub_command(words: list[Arg]) -> tuple[str, list[Arg]]:
    name, rest = words[0].text, words[1:]
    if name in GIT_NESTED and rest and not rest[0].text.startswith("-"):
        return f"{name} {rest[0].text}", rest[1:]
    return name, rest


def _check_values(proof: Proof, call: Call) -> None:
    for value in call.values(*_FORMAT_OPTIONS):
        if _SIGNATURE.search(value):
            proof.fail("option", "This format runs the program that checks signatures.", value)
    for arg in call.operands if call.has(*_FORMAT_OPTIONS) else ():
        if _SIGNATURE.search(arg.text):
            proof.fail("option", "This format runs the program that checks signatures.", arg.text)
    for value in call.values("-L"):
        for path in value.split(":")[1:]:
            if path:
                proof.path(path)


def _operands(proof: Proof, name: str, call: Call) -> list[Arg]:
    """The operands that may be paths."""
    operands = call.operands
    row = GIT_ROWS[name]
    if row.most is not None and any(arg.symbolic or arg.matched for arg in operands):
        proof.fail("glob", "A glob could give it one operand too many.", f"git {name}")
    if name == "config" and not all(re.fullmatch(GIT_CONFIG_NAMES, arg.text) for arg in operands):
        proof.fail("operand", "This setting could hold an address or a secret.", operands[0].text)
    wanted = OPERANDS_WITH.get(name)
    if operands and (row.operands == "none" or (wanted and not call.has(*wanted))):
        proof.fail("operand", "With this operand git would do more than read.", operands[0].text)
    if row.operands == "pattern" and not call.has("-e"):
        if operands and operands[0].symbolic:
            proof.fail("glob", "A glob stands where a pattern should.", operands[0].text)
        return operands[1:]
    return operands


def _check_operand(proof: Proof, arg: Arg, *, shows: bool) -> None:
    """A revision or a path: judged as a path, and of `rev:path` what stands behind each colon as well."""
    parts = arg.text.split(":")
    texts = [arg.text, *(":".join(parts[at:]) for at in range(1, len(parts)))]
    texts += [text.partition(")")[2] for text in texts if text.startswith("(")]
    for text in filter(None, texts):
        for facts in proof.operand(Arg(text, symbolic=arg.symbolic), shows=shows):
            if facts.verdict == "inside" and not proof.world.own_repository(facts.rel):
                proof.fail("git_config", "It looks into another repository.", text)


def _check_configuration(proof: Proof) -> None:
    if not all(proof.world.own_repository(folder) for folder in proof.known_folders()):
        proof.fail("git_config", "It does not run in the lane's own repository.")
    if fault := proof.world.git_fault():
        known = f"Git's configuration runs a program: {fault}."
        proof.fail("git_config", GIT_CHANGED if fault == SETTINGS_CHANGED else known, fault)
