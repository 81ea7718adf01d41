"""The kept text of a card is what the card paints: every block, every token, nothing hidden."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.domain.core.content import (
    BlobRef,
    Card,
    CodeBlock,
    DiffBlock,
    FileListBlock,
    ImageBlock,
    LinkBlock,
    TableBlock,
    TextBlock,
)
from desktop.domain.core.permissions import Category, PermissionMode
from desktop.domain.display.shown_text import block_text, shown_text
from desktop.domain.display.surfaces import surface_text
from desktop.domain.gate.pending import (
    ApprovalRequest,
    CredentialRequest,
    Option,
    PictureReview,
    PlanReview,
    Question,
    QuestionRequest,
    ShownCommand,
    ShownSql,
)
from desktop.domain.skills.review import ReviewFile, SkillReview
from desktop.ui.gate.cards.evidence.evidence import piece_of

RED = Option(label="Red", value="r", description="warm")
PICTURE = BlobRef(sha256="a" * 64, media_type="image/png", size=9)
BLOCKS = [
    TextBlock(text="plain\u202e text"),
    CodeBlock(language="bash", text="rm \u200b-rf x"),
    CodeBlock(language="json", text='{"a": "b\\u202ec"}'),
    CodeBlock(language="python", text="x = 1\t# tab"),
    DiffBlock(path="a\u202e.py", unified="@@ -1 +1 @@\n-a\n+b\u200b", added=1, removed=1),
    TableBlock(columns=("a", "b"), rows=(("1", "2"),), more=3),
    TableBlock(columns=("a",), rows=()),
    LinkBlock(url="https://example.org", label="here"),
    LinkBlock(url="https://example.org", label=""),
    FileListBlock(paths=("a", "b"), more=2),
    FileListBlock(paths=("a",)),
]


def approval(**fields: object) -> ApprovalRequest:
    values: dict[str, object] = {
        "call_id": "c", "card": Card(title="Run \u202ex", blocks=tuple(BLOCKS)), "category": Category.BASH,
        "reason": "No rule covers it.", "rule": "no_rule", "mode": PermissionMode.EDIT, "digest": "d",
    }  # fmt: skip
    return ApprovalRequest.model_validate({**values, **fields})


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.type)
def test_a_block_is_kept_as_the_card_paints_it(block):
    piece = piece_of(block)
    painted = surface_text(piece.text, piece.surface)
    for line in painted.splitlines():
        assert line.replace(f"and {3} more rows", "and 3 more rows") in block_text(block)


def test_a_picture_is_kept_by_its_hash():
    assert "a" * 64 in block_text(ImageBlock(blob=PICTURE, alt="shot"))


def test_an_approval_holds_title_evidence_reason_and_what_may_be_allowed():
    text = shown_text(
        approval(
            source="to test", lane="fix", cwd="src", warnings=("odd\u200b",), tainted=(".env",), irreversible=True,
            confirm_word="fix", commands=(ShownCommand(words=("rm", "x")),),
            sql=ShownSql(connection="shop", dialect="postgres", target="db"),
        )
    )  # fmt: skip
    for line in (
        "Run ⟦U+202E⟧x", "The agent says: to test", "Why: No rule covers it.", "Lane: fix", "Folder: src", "Part: rm x",
        "Database: shop · postgres · db", "Warning: odd⟦U+200B⟧", "Has read: .env",
        "Cannot be undone; the word is: fix",
    ):  # fmt: skip
        assert line in text.splitlines()


def test_questions_and_plans_are_kept_too():
    asked = QuestionRequest(
        call_id="c", title="Which?", body="**Choose**",
        questions=(Question(id="q", text="Colour\u202e", options=(RED,)),),
    )  # fmt: skip
    assert shown_text(asked).splitlines() == ["Which?", "Choose", "Colour⟦U+202E⟧", "Option: Red — warm"]
    assert "Do it" in shown_text(PlanReview(call_id="c", plan="# Do it"))


@given(st.text(max_size=60))
def test_whatever_stands_on_a_card_is_kept_without_hidden_characters(text):
    request = approval(reason=text, card=Card(title=text, blocks=(CodeBlock(language="bash", text=text),)))
    kept = shown_text(request)
    assert kept == shown_text(request)
    assert "\u202e" not in kept
    assert "\x1b" not in kept
    kept.encode()


def test_a_request_for_a_secret_is_kept_without_hidden_characters():
    request = CredentialRequest(call_id="c", provider="Sh\u202eop", why="To deploy", names=("A", "B"))
    assert shown_text(request).splitlines() == ["Secret for Sh⟦U+202E⟧op", "To deploy", "A B"]


@pytest.mark.parametrize(("target", "words"), [("window", "screen, for one window"), ("desktop", "whole screen")])
def test_a_picture_is_kept_by_what_it_is_of_and_its_size(target, words):
    lines = shown_text(PictureReview(call_id="c", target=target, title="a\u202eb", width=4, height=3)).splitlines()
    assert lines == [f"Picture of the {words}", "a⟦U+202E⟧b", "4×3"]


def test_a_skill_is_kept_with_every_file_that_was_shown() -> None:
    file = ReviewFile(path="SKILL.md", size=3, sha256="b", text="Go\u202e on")
    review = SkillReview(
        skill_id="notes", source="made", sha256="a" * 64, files=(file,), marks=("A mark.",), difference="+new"
    )

    shown = shown_text(review)
    for part in ("notes", "made", "a" * 64, "A mark.", "SKILL.md 3 b", "+new"):
        assert part in shown
    assert "\u202e" not in shown
