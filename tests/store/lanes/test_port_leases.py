"""Blocks of ports are leased to one lane each, also by several processes."""

import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from desktop.domain.core.errors import StoreWriteFailed
from desktop.domain.lanes.lane import Lane
from desktop.store.core.lanes import BLOCK, FIRST_PORT, LAST_PORT
from desktop.store.database import DATABASE_NAME, SqliteStore

_CHILD = """
import sys
from pathlib import Path
from desktop.store.sqlite.connection import Database, connect_writing
from desktop.store.lanes.port_leases import SqlitePortLeases
file = Path(sys.argv[1])
leases = SqlitePortLeases(Database(connect_writing(file), file.parent))
print("ready", flush=True)
sys.stdin.readline()
for name in ("a", "b"):
    print(leases.lease(sys.argv[2] + name, lambda base: base != 20020), flush=True)
"""


def lane(key: str, **fields: object) -> Lane:
    made = datetime(2026, 3, 1, tzinfo=UTC)
    base = Lane(
        id=f"ln_{key}", project_id="p", name=key, branch=key, worktree_path="/l", device=1, inode=1, created_at=made
    )
    return base.model_copy(update=fields)


def _always(base: int) -> bool:
    return True


def test_a_lane_keeps_its_block_until_it_gives_it_back(store: SqliteStore) -> None:
    leases = store.ports
    assert leases.of("ln_a") == 0
    assert leases.lease("ln_a", _always) == FIRST_PORT
    assert leases.lease("ln_a", _always) == FIRST_PORT
    assert leases.lease("ln_b", _always) == FIRST_PORT + BLOCK
    leases.release("ln_a")
    assert leases.of("ln_a") == 0
    assert leases.lease("ln_c", _always) == FIRST_PORT


def test_blocks_in_use_are_skipped_and_none_is_left_when_all_are(store: SqliteStore) -> None:
    leases = store.ports
    assert leases.lease("ln_a", lambda base: base >= FIRST_PORT + 2 * BLOCK) == FIRST_PORT + 2 * BLOCK
    asked: list[int] = []
    assert leases.lease("ln_b", lambda base: bool(asked.append(base))) == 0
    assert asked[0] == FIRST_PORT
    assert asked[-1] + BLOCK - 1 == LAST_PORT


def test_a_block_that_somebody_took_in_between_is_not_leased_again(store: SqliteStore) -> None:
    leases = store.ports

    def is_free(base: int) -> bool:
        return base > FIRST_PORT or leases.lease("ln_quick", _always) == FIRST_PORT

    assert leases.lease("ln_slow", is_free) == FIRST_PORT + BLOCK


def test_a_lane_has_the_ports_of_its_lease_until_it_is_archived(store: SqliteStore) -> None:
    leases = store.ports
    wished = lane("a", ports=99, port_count=3)
    store.lanes.save(wished)
    assert store.lanes.get("ln_a") == wished.model_copy(update={"ports": 0, "port_count": 0})
    leases.lease("ln_a", _always)
    store.lanes.save(wished)
    assert store.lanes.get("ln_a") == wished.model_copy(update={"ports": FIRST_PORT})
    store.lanes.save(wished.model_copy(update={"state": "archived"}))
    assert leases.of("ln_a") == 0
    store.lanes.save(wished)
    kept = store.lanes.get("ln_a")
    assert kept is not None
    assert kept.ports == 0


def test_a_lease_that_cannot_be_kept_is_an_error(store: SqliteStore) -> None:
    store.database.connection.execute("PRAGMA query_only=ON")
    with pytest.raises(StoreWriteFailed):
        store.ports.lease("ln_a", _always)


def test_two_processes_with_two_lanes_each_get_four_blocks_and_none_that_is_in_use(store: SqliteStore) -> None:
    file = str(Path(store.database.folder) / DATABASE_NAME)
    children = [
        subprocess.Popen(
            [sys.executable, "-c", _CHILD, file, key], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for key in ("one", "two")
    ]
    for child in children:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
    for child in children:
        assert child.stdin is not None
        child.stdin.write("go\n")
        child.stdin.flush()
    bases = [int(line) for child in children for line in child.communicate(timeout=20)[0].split()]
    assert len(set(bases)) == 4
    assert FIRST_PORT + BLOCK not in bases
