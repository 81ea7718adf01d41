"""`banksman run` on a store that can only be read: the cause is said, and nothing of a window."""

from pathlib import Path

from tests.agent.rig import make_repository
from tests.cli.running import Cli


def test_a_damaged_store_is_named_with_its_cause_and_no_window_is_spoken_of(tmp_path: Path) -> None:
    cli = Cli(tmp_path / "home", make_repository(tmp_path / "shop"))
    assert cli.run("run", "Look", "--endpoint", "demo").status in (0, 1)
    store = cli.folders().store / "banksman.db"
    whole = store.read_bytes()
    for log in store.parent.glob("banksman.db-*"):
        log.unlink()
    store.write_bytes(whole[: len(whole) // 2])
    done = cli.run("run", "Look again", "--endpoint", "demo")
    assert done.status == 2
    assert "are damaged" in done.stderr
    assert "window" not in done.stderr
