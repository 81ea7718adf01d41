"""Links: what they may name, and nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.config.links import MOST_CHARS, Link, is_link, parse_link

CHAT, LANE = "ses_" + "0" * 31 + "a", "ln_0123456789ab"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"banksman://chat/{CHAT}", Link("chat", CHAT)),
        (f"BANKSMAN://chat/{CHAT}/", Link("chat", CHAT)),
        (f"banksman://card/{CHAT}", Link("card", CHAT)),
        (f"banksman://lane/{LANE}", Link("lane", LANE)),
        (f"banksman://pull/{LANE}", Link("pull", LANE)),
    ],
)
def test_a_link_names_what_it_leads_to(text: str, found: Link) -> None:
    assert is_link(text)
    assert parse_link(text) == found


@pytest.mark.parametrize(
    "rest",
    [
        "", "chat", f"chat/{CHAT}?approve=1", f"chat/{CHAT}#x", f"chat/{CHAT}/approve", f"chat/{LANE}", f"lane/{CHAT}",
        f"run/{CHAT}", f"approve/{CHAT}", f"chat/{CHAT}\n", f"chat//{CHAT}", f"chat/../{CHAT}", f"chat/{CHAT.upper()}",
        "lane/ln_0123456789ab%0a", f"join/{CHAT}", f"chat/{CHAT} --allow", "chat/" + "ses_" + "0" * 40,
    ],
)  # fmt: skip
def test_a_link_of_another_form_leads_nowhere(rest: str) -> None:
    assert is_link(f"banksman://{rest}")
    assert parse_link(f"banksman://{rest}") is None


def test_a_link_of_more_than_2048_characters_leads_nowhere() -> None:
    text = f"banksman://chat/{CHAT}"
    assert parse_link(text + "/" * (MOST_CHARS - len(text) + 1)) is None


@given(st.text(max_size=80))
def test_only_the_four_forms_lead_anywhere(rest: str) -> None:
    found = parse_link(f"banksman://{rest}")
    assert found is None or rest.rstrip("/") == f"{found.kind}/{found.id}"


@pytest.mark.parametrize("text", ["", "banksman:", "banksman:/x", "https://banksman://", "/home/x"])
def test_what_is_no_link_is_none(text: str) -> None:
    assert not is_link(text)
    assert parse_link(text) is None
