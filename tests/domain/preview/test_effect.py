"""The effect of a try: what its words say, when it can be applied, and what its digest is bound to."""

import pytest

from desktop.domain.preview.effect import Effect, EffectFile, effect_digest, not_shown

CHANGED = EffectFile(path="app.py", kind="modify", before_sha256="a" * 64, after_sha256="b" * 64)
CALL = "c" * 64


@pytest.mark.parametrize(
    ("effect", "words"),
    [
        (Effect(), "no file differs"),
        (Effect(files=(CHANGED,)), "1 changed"),
        (Effect(files=(CHANGED, EffectFile(path="x", kind="create"))), "1 changed · 1 new"),
        (Effect(files=(EffectFile(path="x", kind="delete"),), more=3), "1 deleted · 3 more"),
        (Effect(folders=("a",)), "1 empty folder"),
        (Effect(folders=("a", "b")), "2 empty folders"),
    ],
)
def test_its_counts_in_words(effect: Effect, words: str) -> None:
    assert effect.counts == words


@pytest.mark.parametrize(
    ("effect", "can"),
    [
        (Effect(), False),
        (Effect(ignored=3), False),
        (Effect(kept_folders=("a",)), False),
        (Effect(files=(CHANGED,)), True),
        (Effect(folders=("a",)), True),
        (Effect(files=(CHANGED,), stops=("x is protected.",)), False),
        (Effect(more=1), True),
    ],
)
def test_it_can_be_applied_when_something_differs_and_nothing_stops_it(effect: Effect, can: bool) -> None:
    assert effect.can_be_applied is can


@pytest.mark.parametrize(
    ("effect", "can"),
    [
        (Effect(ignored=2), False),
        (Effect(beside=(CHANGED,)), True),
        (Effect(files=(CHANGED,), beside=(CHANGED,), beside_stop="too much"), False),
        (Effect(beside=(CHANGED,), stops=("x is protected.",)), False),
    ],
)
def test_ignored_files_can_be_ticked_when_they_are_known_and_nothing_stops_them(effect: Effect, can: bool) -> None:
    assert effect.can_be_ticked is can


def test_a_yes_is_bound_to_the_call_and_to_every_word_of_the_effect() -> None:
    effect = Effect(files=(CHANGED,), tree_before="1", tree_after="2")
    others = [
        effect.model_copy(update={"files": (CHANGED.model_copy(update={"after_mode": "100755"}),)}),
        effect.model_copy(update={"tree_before": "3"}),
        effect.model_copy(update={"folders": ("a",)}),
        effect.model_copy(update={"beside": (CHANGED,)}),
    ]
    digests = {effect_digest(CALL, one) for one in (effect, *others)} | {effect_digest("d" * 64, effect)}
    assert len(digests | {effect_digest(CALL, effect, ticked=True)}) == 7
    assert effect_digest(CALL, effect) == effect_digest(CALL, Effect.model_validate(effect.model_dump()))


def test_a_whole_copy_says_more_of_what_it_does_not_show() -> None:
    assert set(not_shown("overlay")) < set(not_shown("copy"))
