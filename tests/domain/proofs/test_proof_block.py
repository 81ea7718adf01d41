"""The part of a pull request's text that lists proofs: made anew, never doubled, and nothing else is touched."""

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop.domain.proofs.block import (
    BEGIN,
    END,
    ProofRow,
    block_in,
    block_sha256,
    names_proof,
    plain_markdown,
    proof_block,
    with_block,
)
from desktop.domain.proofs.values import (
    Proof,
    ProofPair,
    Staleness,
    hundredths_of,
    limit_bytes,
    percent_words,
    review_words,
    stale_words,
    staleness,
)
from desktop.domain.reports.values import EvidenceRow

AT = datetime(2026, 11, 21, 14, 2, tzinfo=UTC)


def proof(**fields: object) -> Proof:
    values = {
        "id": "pf_0123456789ab", "project_id": "p", "kind": "screenshot", "title": "Login page", "size": 3,
        "mime_type": "image/png", "sha256": "ab" * 32, "captured_at": AT, "ingested_at": AT, "backend": "page",
        "lane_id": "ln_1", "head": "c" * 40, "tree_id": "t" * 40,
    }  # fmt: skip
    return Proof.model_validate({**values, **fields})


@pytest.mark.promise("lanes-F18")
def test_publishing_twice_leaves_one_block_and_every_other_word() -> None:
    once = with_block("## Summary\r\n\r\nText.", proof_block([ProofRow(proof=proof())]))
    edited = once.replace("Text.", "Text, edited meanwhile.") + "\n\nMore by somebody."
    twice = with_block(edited, proof_block([ProofRow(proof=proof(title="Second", review="accepted"))]))
    assert twice.count(BEGIN) == twice.count(END) == 1
    assert twice.startswith("## Summary\r\n\r\nText, edited meanwhile.")
    assert twice.endswith("More by somebody.")
    assert "Second" in block_in(twice)
    assert "Login page" not in twice
    assert with_block(twice, "") == twice.replace(block_in(twice), "")


def test_a_begin_without_an_end_is_somebody_elses_text() -> None:
    block = proof_block([ProofRow(proof=proof())])
    body = with_block(f"I quote {BEGIN} here.", block)
    assert body == f"I quote {BEGIN} here.\n\n{block}"
    assert with_block(body, block) == body
    assert with_block(f"{block}\nbetween\n{block}", block) == f"{block}\nbetween\n"


def test_what_agents_wrote_is_text_in_a_table() -> None:
    title = "a | b <img src=x> @mona #12 `c`\n| d |"
    block = proof_block(
        [ProofRow(proof=proof(title=title), stale="commit", url="https://example.org/a.png")],
        [
            EvidenceRow(
                claim="", cwd=".", command="npm test | tee x", exit_code=1, tree="f" * 40, stale=True, state="failed"
            )
        ],
    )
    rows = [line for line in block.splitlines() if line.startswith("| ")]
    assert [line.count("|") for line in rows] == [7, 7, 5, 5]
    assert "@" not in block
    assert "<img" not in block
    assert "Commit has moved on" in rows[1]
    assert rows[3].endswith("| 1 | `ffffffffffff` | failed; stale |")
    assert "](https://example.org/a.png)" in block
    assert proof_block([]) == ""


@given(st.text(max_size=80), st.text(max_size=80))
@settings(max_examples=25, deadline=None)
def test_a_block_is_found_again_whatever_stands_around_it(before: str, title: str) -> None:
    block = proof_block([ProofRow(proof=proof(title=(plain_markdown(title)[:100] or "x")))])
    body = with_block(before, block)
    assert with_block(body, block) == body
    assert body.startswith(before)


@pytest.mark.parametrize(
    ("head", "tree", "is_so"),
    [
        ("c" * 40, "t" * 40, ""), ("d" * 40, "t" * 40, "same_files"), ("c" * 40, "u" * 40, "files"),
        ("d" * 40, "u" * 40, "commit"), ("c" * 40, "", "unknown"),
    ],
)  # fmt: skip
def test_a_proof_is_stale_when_the_files_differ(head: str, tree: str, is_so: Staleness) -> None:
    assert staleness(proof(), head, tree) == is_so
    assert staleness(proof(lane_id=""), head, "") == ""
    assert stale_words("files") == "Files changed since"
    assert review_words("pending") == "not reviewed"


def test_a_share_is_rounded_and_never_hides_a_change() -> None:
    assert [percent_words(hundredths_of(*pair)) for pair in ((0, 10), (0, 0), (1, 3), (1, 10**9), (10, 10))] == [
        "0.00 %", "0.00 %", "33.33 %", "0.01 %", "100.00 %",
    ]  # fmt: skip
    pair = ProofPair(before_id="pf_1", changed=1, hundredths=125)
    assert pair.percent == "1.25 %"


def test_a_proof_knows_what_is_shown_of_it() -> None:
    assert proof().is_picture
    assert not proof().is_text
    assert proof(kind="test_results", mime_type="application/xml").is_text
    assert limit_bytes("file") == 50 * 1024 * 1024
    assert "### Proofs" not in proof_block([], [EvidenceRow(claim="", command="ls", cwd=".", exit_code=None, tree="",
                                                            state="", stale=False)])  # fmt: skip


def test_a_block_is_known_however_its_lines_end() -> None:
    assert block_sha256("a\r\nb") == block_sha256("a\nb") != block_sha256("a\nc")


def test_a_body_names_the_proofs_of_its_block_alone() -> None:
    named, other = proof(), proof(sha256="cd" * 32)
    body = with_block("Words.", proof_block([ProofRow(proof=named)]))
    assert names_proof(body, named)
    assert not names_proof(body, other)
    assert not names_proof(f"| `{named.sha256[:12]}` |", named), "a person wrote it"
