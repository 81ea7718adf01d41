"""The card of a report: status, summary, claims with what was found of each, artifacts, blockers (lanes-E7)."""

from PySide6.QtGui import QFontMetrics

from desktop.domain.core.content import CodeBlock
from desktop.domain.reports.values import ClaimView, ReportView
from desktop.language import said, tr
from desktop.ui.chats.folds.report_words import (
    FOUND_WORDS,
    VERDICT_ICONS,
    VERDICT_WORDS,
    artifact_words,
    claim_figure,
    count_colour,
    count_words,
    status_look,
    title_words,
    todo_words,
)
from desktop.ui.chats.folds.rows import Row
from desktop.ui.chats.transcript.painting.blocks import Builder
from desktop.ui.chats.transcript.painting.documents import plain_document
from desktop.ui.chats.transcript.painting.icons import RUNNING_ICON
from desktop.ui.chats.transcript.painting.pieces import ButtonsPiece, LinePiece
from desktop.ui.chats.transcript.painting.text_piece import DocumentPiece
from desktop.ui.text.format import count, size
from desktop.ui.text.safe_text import prose_line, safe_line
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import CAPTION, SPACE_2, SPACE_5

CARD, CLAIM, OUTPUT, CHECK_AGAIN = "report_card", "report_claim", "report_output", "report_check_again"
_GROUNDS = {"success": "success_bg", "warning": "warning_bg", "danger": "danger_bg", "accent": "info_bg"}
_FOUND_LOOK = {"found": ("file-text", "success"), "missing": ("circle-x", "danger"), "not_looked_up": ("link", "muted")}
_TREE_CHARS = 12


def report_pieces(row: Row, builder: Builder) -> None:
    """The row of a report."""
    view = row.report
    if view is None:
        return
    _head(view, builder)
    if not builder.is_open("row"):
        return
    text = 2 * theme().px(SPACE_5)
    builder.add(DocumentPiece(plain_document(view.summary, builder.ink), text, builder.width - text))
    if view.blocker:
        _muted(builder, tr("In the way: {blocker}", blocker=view.blocker), 2, "danger")
    for place, claim in enumerate(view.claims):
        _claim(claim, place, builder)
    for artifact in view.artifacts:
        icon, colour = _FOUND_LOOK[artifact.found]
        chip = (FOUND_WORDS[artifact.found], colour, _GROUNDS.get(colour, "sunken"))
        _line(builder, 2, (icon, "muted"), artifact_words(artifact), (chip,))
    if view.open_todos:
        _muted(builder, tr("{todos} when it was reported", todos=todo_words(view)), 2)
    if view.stale and view.last and not row.left:
        label = tr("Check again ({commands})", commands=count(len(view.stale), "command"))
        builder.add(ButtonsPiece(text, builder.width - text, ((CHECK_AGAIN, label),), part=view.report_id))


def _head(view: ReportView, builder: Builder) -> None:
    icon, colour = status_look(view)
    counted = count_colour(view)
    chips = ((proved, counted, _GROUNDS[counted]),) if (proved := count_words(view)) else ()
    line = _line(builder, 1, (icon, colour), title_words(view), chips)
    line.toggle, line.opened, line.arrow = CARD, builder.is_open("row"), True


def _claim(claim: ClaimView, place: int, builder: Builder) -> None:
    icon, colour = VERDICT_ICONS[claim.verdict]
    figure = claim_figure(claim) if claim.verdict != "checking" else ""
    verdict = (VERDICT_WORDS[claim.verdict], colour, _GROUNDS.get(colour, "sunken"))
    chips = ((figure, "muted", "sunken"), verdict) if figure else (verdict,)
    part = f"claim{place}"
    line = _line(builder, 2, (RUNNING_ICON if claim.verdict == "checking" else icon, colour), claim.text, chips)
    if claim.kind != "statement":
        line.toggle, line.part, line.opened = CLAIM, part, builder.is_open(part)
    long = _is_cut(line, chips)
    if long and line.opened:
        _muted(builder, claim.text, 3)
    if claim.reason:
        _muted(builder, said(claim.reason), 3, colour if claim.verdict in ("failed", "refused") else "muted")
    if claim.warning:
        _muted(builder, said(claim.warning), 3, "warning")
    if line.opened:
        _shown_by(claim, builder, part)


def _shown_by(claim: ClaimView, builder: Builder, part: str) -> None:
    """What shows a claim: its command with how that ran, or what it names."""
    x = 3 * theme().px(SPACE_5)
    if claim.kind == "command":
        builder.block(CodeBlock(language="bash", text=claim.subject), x, f"{part}:c")
    else:
        _muted(builder, claim.subject, 3)
    facts = [tr("in {folder}", folder=claim.cwd) if claim.cwd not in ("", ".") else ""]
    facts += [tr("files {tree}", tree=claim.tree[:_TREE_CHARS])] if claim.tree else []
    told = " · ".join(fact for fact in facts if fact)
    if told:
        builder.add(DocumentPiece(plain_document(told, "muted", scale=CAPTION), x, builder.width - x))
    if claim.output is not None:
        label = tr("Show output ({size})", size=size(claim.output.size))
        piece = ButtonsPiece(x, builder.width - x, ((OUTPUT, label),), links=True, part=claim.output.sha256)
        builder.add(piece)


def _line(
    builder: Builder, level: int, icon: tuple[str, str], title: str, chips: tuple[tuple[str, str, str], ...]
) -> LinePiece:
    x = theme().px(SPACE_5) * level
    shown = tuple((safe_line(text), ink, ground) for text, ink, ground in chips)
    piece = LinePiece(x, builder.width - x, icon, prose_line(title), shown)
    piece.ink = builder.ink
    builder.add(piece)
    return piece


def _is_cut(line: LinePiece, chips: tuple[tuple[str, str, str], ...]) -> bool:
    """Whether the title of a line does not fit beside its chips."""
    metrics = QFontMetrics(theme().font())
    used = sum(metrics.horizontalAdvance(text) + 4 * theme().px(SPACE_2) for text, _, _ in chips)
    return metrics.horizontalAdvance(line.title) > line.width - used - 2 * theme().px(SPACE_5)


def _muted(builder: Builder, text: str, level: int, colour: str = "muted") -> None:
    x = theme().px(SPACE_5) * level
    builder.add(DocumentPiece(plain_document(text, colour), x, builder.width - x))
