"""The words for a proof that was added: what a model and a person get."""

import base64

from pydantic import JsonValue

from desktop.domain.core.content import BlobRef, Block, ImageBlock
from desktop.domain.proofs.values import Proof
from desktop.tools.proof_calls import AddedProof
from desktop.tools.text import title_line
from desktop.tools.tool import ToolResult
from desktop.tools.untrusted import untrusted

MAX_CONSOLE_FOR_MODEL = 40
_SEEN = {
    "window": " It is the part of the screen that the person left.",
    "desktop": " It is what the person sent of the screen.",
}

_OF_LANE = " It is a window of a program of this lane, and nothing else is in it."


def picture_result(added: AddedProof) -> ToolResult:
    """A capture: the record in a line, what the page said, and the picture."""
    proof = added.proof
    text = f'Screenshot proof {proof.id} "{title_line(proof.title)}", {proof.width}×{proof.height}.'
    text += f"{_OF_LANE if added.windows else _SEEN.get(proof.backend, '')}{_pair_words(proof)}"
    if added.windows:
        text += f"\nThe lane's windows, this one first:\n{untrusted('windows', chr(10).join(added.windows))}"
    lines = proof.console[:MAX_CONSOLE_FOR_MODEL]
    if lines:
        more = f"\n[{len(proof.console) - len(lines)} more lines]" if len(proof.console) > len(lines) else ""
        text += f"\nThe page's console:\n{untrusted(f'page:{proof.source}', chr(10).join(lines) + more)}"
    images: tuple[dict[str, JsonValue], ...] = ()
    if added.picture:
        data = base64.b64encode(added.picture).decode("ascii")
        images = ({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}},)
    return ToolResult(
        text=text,
        images=images,
        blocks=(proof_picture(proof),),
        summary=f"{proof.width}×{proof.height}",
        data=proof_data(proof),
    )


def attached_result(added: AddedProof) -> ToolResult:
    """A file that became a proof, or was one."""
    proof = added.proof
    again = " It was there already." if added.again else ""
    notice = f" {proof.notice}" if proof.notice else ""
    shown = f" It cannot be shown: {proof.cannot_show}." if proof.cannot_show else ""
    blocks: tuple[Block, ...] = (proof_picture(proof),) if proof.is_picture and not proof.cannot_show else ()
    return ToolResult(
        text=f"Proof {proof.id} added.{again}{notice}{shown}{_pair_words(proof)}",
        blocks=blocks,
        summary=proof.id,
        data=proof_data(proof),
    )


def proof_picture(proof: Proof) -> ImageBlock:
    """The picture as people see it in the conversation."""
    ref = BlobRef(sha256=proof.sha256, media_type=proof.mime_type, size=proof.size)
    return ImageBlock(blob=ref, alt=f"{proof.title}, {proof.width}×{proof.height}")


def proof_data(proof: Proof) -> dict[str, JsonValue]:
    """The values that the window gets beside the text of a proof."""
    return {"proof_id": proof.id, "kind": proof.kind, "sha256": proof.sha256}


def _pair_words(proof: Proof) -> str:
    if proof.pair is None:
        return ""
    return f" {proof.pair.percent} of its pixels differ from {proof.pair.before_id}."
