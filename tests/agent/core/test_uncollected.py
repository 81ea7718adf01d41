"""The collector looks at nothing while much is made, and works as before afterwards."""

import gc

import pytest

from desktop.agent.core.uncollected import uncollected


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
