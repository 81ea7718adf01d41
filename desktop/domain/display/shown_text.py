"""The text of a card, kept beside the answer, so that the evidence of a decision is known (gate-A1)."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from desktop.domain.core.content import (
    Block,
    CodeBlock,
    DiffBlock,
    FileListBlock,
    ImageBlock,
    LinkBlock,
    TableBlock,
    TextBlock,
)
from desktop.domain.display.lazy import card_title, path_text, surface_text, whole_title
from desktop.domain.display.text import prose_text
from desktop.domain.gate.pending import (
    ApprovalRequest,
    CredentialRequest,
    InputRequest,
    PictureReview,
    QuestionRequest,
    credential_title,
    picture_title,
)
from desktop.domain.skills.review import SkillReview

if TYPE_CHECKING:
    from desktop.domain.display.surfaces import Surface

_SURFACES: "dict[str, Surface]" = {"bash": "approval_command", "sh": "approval_command", "json": "tool_args"}


def shown_text(request: InputRequest) -> str:
    """Every text of a request as its card paints it, in the card's order: characters that cannot be seen stand in it
    as the tokens that people saw. The same request always gives the same text."""
    if isinstance(request, ApprovalRequest):
        return "\n".join(line for line in _approval(request) if line)
    if isinstance(request, QuestionRequest):
        return "\n".join(line for line in _questions(request) if line)
    if isinstance(request, PictureReview):
        return f"{picture_title(request)}\n{_plain(request.title)}\n{request.width}×{request.height}"
    if isinstance(request, CredentialRequest):
        lines = (credential_title(request), request.label, request.why, " ".join(request.names))
        return "\n".join(_plain(line) for line in lines if line)
    if isinstance(request, SkillReview):
        return "\n".join(line for line in _skill(request) if line)
    return surface_text(request.plan, "transcript_markdown")


def block_text(block: Block) -> str:
    """A block of evidence as its card paints it."""
    if isinstance(block, TextBlock):
        return _plain(block.text)
    if isinstance(block, CodeBlock):
        return surface_text(block.text, _SURFACES.get(block.language, "commit_message"))
    if isinstance(block, DiffBlock):
        return f"{path_text(block.path)}\n{surface_text(block.unified, 'diff')}"
    return _plain(_list_text(block))


def _skill(review: SkillReview) -> Iterator[str]:
    """What a review says, and every file of it that can be shown."""
    yield _plain(f"{review.skill_id}\n{review.source}\n{review.commit}\n{review.sha256}\n{review.description}")
    yield from map(_plain, (review.problem, *review.marks))
    for file in review.files:
        yield f"{path_text(file.path)} {file.size} {file.sha256} {file.note}"
        yield surface_text(file.text or "", "tool_args")
    yield surface_text(review.difference, "diff")


def _list_text(block: TableBlock | ImageBlock | LinkBlock | FileListBlock) -> str:
    if isinstance(block, TableBlock):
        rows = ["   ".join(row) for row in (block.columns, *block.rows)]
        return "\n".join([*rows, *([f"and {block.more:,} more rows"] if block.more else [])])
    if isinstance(block, ImageBlock):
        return f"{block.alt} — picture, {block.blob.media_type}, {block.blob.size:,} bytes, {block.blob.sha256}"
    if isinstance(block, LinkBlock):
        return block.url if block.label in ("", block.url) else f"{block.label} — {block.url}"
    return "\n".join([*block.paths, *([f"and {block.more:,} more files"] if block.more else [])])


def _approval(request: ApprovalRequest) -> list[str]:
    sql = request.sql
    target = f"{sql.connection} · {sql.dialect} · {sql.target}" if sql is not None else ""
    return [
        card_title(request.card.title),
        *map(block_text, request.card.blocks),
        _line("Asks", request.asker),
        _line("The agent says", request.source),
        _line("Why", request.reason),
        _line("Lane", request.lane),
        _line("Folder", request.cwd if request.cwd != "." else ""),
        _line("Database", target),
        *(_line("Part", " ".join(command.words)) for command in request.commands),
        *(_line("Warning", warning) for warning in request.warnings),
        *(_line("Has read", source) for source in request.tainted),
        _line("Cannot be undone; the word is", request.confirm_word if request.irreversible else ""),
        *(_line(f"Allow {offer.scope}", offer.covers) for offer in request.grants),
    ]


def _questions(request: QuestionRequest) -> list[str]:
    lines = [whole_title(request.title), surface_text(request.body, "transcript_markdown")]
    for question in request.questions:
        lines.append(prose_text(question.text, multiline=True))
        options = (f"Option: {option.label} — {option.description}" for option in question.options)
        lines += [prose_text(option, multiline=True) for option in options]
    return lines


def _line(name: str, text: str) -> str:
    return f"{name}: {_plain(text)}" if text else ""


def _plain(text: str) -> str:
    return surface_text(text, "commit_message")
