"""What goes on record of a try: what it did in the copy, and, once it is applied, that a command ran there."""

from desktop.agent.core.session import Session
from desktop.agent.preview.copies import Tried
from desktop.domain.core.content import BlobRef, Block, DiffBlock, TextBlock
from desktop.domain.core.ids import new_id
from desktop.domain.gate.redaction import Redactor
from desktop.domain.preview.effect import effect_digest, not_shown
from desktop.domain.preview.events import CommandTried
from desktop.domain.reports.events import EvidenceRecorded
from desktop.domain.reports.verdicts import command_sha256
from desktop.services.git.run import head_commit
from desktop.services.processes.output import CommandOutput
from desktop.tools.text import strip_escapes

MOST_OUTPUT = 4_000


def tried_event(head: CommandTried, tried: Tried, redactor: Redactor) -> CommandTried:
    """The record of a try, without secrets."""
    completed, effect = tried.ran.completed, tried.found.effect
    raised = f" ({completed.limit})" if completed.limit else ""
    known = {
        "tier": tried.tier,
        "effect": effect,
        "digest": effect_digest(head.call_digest, effect) if effect.can_be_applied else "",
        "ticked_digest": effect_digest(head.call_digest, effect, ticked=True) if effect.can_be_ticked else "",
        "finished": completed.ending == "exited",
        "ending": f"{completed.ending}{raised}",
        "exit_code": completed.exit_code,
        "duration_ms": round(completed.duration_s * 1000),
        "output": redactor.redact(_last(completed.output)).text,
        "left_running": tried.ran.left_running,
        "blocks": tuple(_clean(block, redactor) for block in tried.found.blocks),
        "limits": not_shown(tried.tier),
    }
    return head.model_copy(update=known)


def evidence_of(session: Session, event: CommandTried, tried: Tried, printed: BlobRef | None) -> EvidenceRecorded:
    """A command ran, in a copy whose files the lane has now."""
    command = tried.wanted.command
    root = session.files.root if session.files is not None else None
    return EvidenceRecorded(
        evidence_id=new_id("ev_"),
        call_id=event.call_id,
        command=command,
        command_sha256=command_sha256(command),
        cwd=tried.wanted.cwd,
        sandbox="lane-off",
        started_at=tried.started_at,
        duration_ms=event.duration_ms,
        exit_code=event.exit_code,
        signal=tried.ran.completed.signal_name,
        output_sha256=tried.printed_sha256,
        output_bytes=tried.ran.completed.output.total,
        output=printed,
        tree_before=event.effect.tree_before,
        tree_after=event.effect.tree_after,
        head=head_commit(root) if root is not None else "",
        in_copy=True,
    )


def _last(output: CommandOutput) -> str:
    return strip_escapes(output.tail() or output.head())[-MOST_OUTPUT:]


def _clean(block: Block, redactor: Redactor) -> Block:
    if isinstance(block, DiffBlock):
        return block.model_copy(update={"unified": redactor.redact(block.unified).text})
    if isinstance(block, TextBlock):
        return block.model_copy(update={"text": redactor.redact(block.text).text})
    return block
