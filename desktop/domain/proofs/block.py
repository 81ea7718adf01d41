"""The part of a pull request's text that lists proofs and evidence: made anew each time, never doubled. Pure."""

import hashlib
import re
from collections.abc import Sequence

from desktop.domain.core.base import Frozen
from desktop.domain.proofs.values import Proof, Staleness, kind_words, review_words, stale_words
from desktop.domain.reports.values import EvidenceRow

BEGIN = "<!-- banksman:proofs -->"
END = "<!-- /banksman:proofs -->"
SHORT_HASH = 12
SHORT_COMMIT = 7
MAX_COMMAND = 300
_MARKUP = "&<>|@#`*_[]!~\\$:"
_BLOCK = re.compile(f"{re.escape(BEGIN)}(?:(?!{re.escape(BEGIN)}).)*?{re.escape(END)}", re.DOTALL)


class ProofRow(Frozen):
    """A proof as it is published. `url`: where its picture can be seen, "" to name it by its hash alone."""

    proof: Proof
    stale: Staleness = ""
    url: str = ""


def proof_block(proofs: Sequence[ProofRow], evidence: Sequence[EvidenceRow] = ()) -> str:
    """The Markdown between the markers, with them. What agents and files say in it is text: it mentions nobody, links
    nowhere and cannot leave its cell. No rows at all: "", so that `with_block` takes the block away."""
    if not proofs and not evidence:
        return ""
    lines = [BEGIN]
    if proofs:
        lines += [
            "### Proofs",
            "",
            "| Proof | Kind | Time (UTC) | Commit | SHA-256 | State |",
            "|---|---|---|---|---|---|",
        ]
        lines += [_proof_line(row) for row in proofs]
    if evidence:
        lines += [*([""] if proofs else []), "### Evidence", ""]
        lines += ["| Command | Exit code | Files (tree) | State |", "|---|---|---|---|"]
        lines += [_evidence_line(row) for row in evidence]
    for row in proofs:
        if row.url and row.proof.is_picture:
            lines += ["", f"![{plain_markdown(row.proof.title)}]({row.url})"]
    return "\n".join([*lines, END])


def with_block(body: str, block: str) -> str:
    """The body with this block in the place of the one it has, at its end if it has none; "" takes it away. Every
    character outside of the markers stays; further blocks are taken away. A begin without an end is no block."""
    first, *rest = _BLOCK.split(body)
    if rest:
        return first + block + "".join(rest)
    return f"{body}\n\n{block}" if body and block else body or block


def block_in(body: str) -> str:
    """The block that a body holds, with its markers; "" for none."""
    found = _BLOCK.search(body)
    return found.group() if found else ""


def names_proof(body: str, proof: Proof) -> bool:
    """Whether the block of a body has a row of this proof, which is known by the beginning of its hash."""
    return f"| `{proof.sha256[:SHORT_HASH]}` |" in block_in(body)


def block_sha256(block: str) -> str:
    """64 hex digits over a block, however its lines end."""
    return hashlib.sha256("\n".join(block.splitlines()).encode("utf-8", "surrogatepass")).hexdigest()


def plain_markdown(text: str) -> str:
    """Text that Markdown shows as it is, on one line."""
    return "".join(f"&#{ord(char)};" if char in _MARKUP else char for char in " ".join(text.split()))


def _proof_line(row: ProofRow) -> str:
    proof = row.proof
    cells = [
        plain_markdown(proof.title),
        kind_words(proof.kind),
        f"{proof.captured_at:%Y-%m-%d %H:%M}",
        f"`{proof.head[:SHORT_COMMIT]}`" if proof.head else "unknown",
        f"`{proof.sha256[:SHORT_HASH]}`",
        "; ".join(word for word in (review_words(proof.review), stale_words(row.stale)) if word),
    ]
    return f"| {' | '.join(cells)} |"


def _evidence_line(row: EvidenceRow) -> str:
    command = row.command if len(row.command) <= MAX_COMMAND else f"{row.command[:MAX_COMMAND]}…"
    code = "none" if row.exit_code is None else str(row.exit_code)
    state = "; ".join(word for word in (plain_markdown(row.state), "stale" if row.stale else "") if word)
    return f"| {plain_markdown(command)} | {code} | `{row.tree[:SHORT_HASH] or 'unknown'}` | {state or 'current'} |"
