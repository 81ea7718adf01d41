"""The collector looks at nothing while much is made, and works as before afterwards."""

import gc
import weakref

import pytest

from desktop.services.uncollected import settle, uncollected


@pytest.mark.parametrize("collecting", [True, False])
def test_the_collector_stands_while_much_is_made_and_is_then_as_it_was(collecting: bool) -> None:
    was = gc.isenabled()
    (gc.enable if collecting else gc.disable)()
    try:
        frozen = gc.get_freeze_count()
        with uncollected():
            assert not gc.isenabled()
            made = [[number] for number in range(1_000)]
        assert gc.isenabled() is collecting
        assert gc.get_freeze_count() >= frozen + len(made)
    finally:
        gc.unfreeze()
        (gc.enable if was else gc.disable)()


class Ring:
    """A value that only the collector takes away."""

    def __init__(self) -> None:
        self.me = self


def test_what_is_there_is_looked_at_no_more_but_for_young_garbage() -> None:
    made = [[number] for number in range(1_000)]
    gone = weakref.ref(Ring())
    try:
        frozen = gc.get_freeze_count()
        settle()
        assert gone() is None
        assert gc.get_freeze_count() >= frozen + len(made)
    finally:
        gc.unfreeze()
