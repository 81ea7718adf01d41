"""Requests that wait for a person: which of them text alone can show."""

import pytest

from desktop.domain.gate.pending import (
    CredentialRequest,
    InputRequest,
    PictureReview,
    PlanReview,
    cannot_be_shown,
)
from desktop.domain.skills.review import SkillReview


@pytest.mark.parametrize(
    ("request_", "why"),
    [
        (PlanReview(call_id="c", plan="Read, then write."), ""),
        (PictureReview(call_id="c", target="window", width=8, height=8), "The picture"),
        (CredentialRequest(call_id="c", provider="Acme"), "A secret"),
        (SkillReview(skill_id="s", source="a folder", sha256="0" * 64), "The files of a skill"),
    ],
)
def test_pictures_secrets_and_skills_need_a_window(request_: InputRequest, why: str) -> None:
    told = cannot_be_shown(request_)
    assert told.startswith(why)
    assert bool(told) == bool(why)
