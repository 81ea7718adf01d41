"""The wire reads the same messages however the bytes come."""

import asyncio
import json

from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from desktop.services.acp.wire import Wire
from desktop.services.peers.frames import MIB, Frames
from tests.peer_ground import Ear


class Nowhere:
    """Takes whatever is written."""

    def write(self, line: bytes) -> None:
        assert line.endswith(b"\n")

    def end_input(self) -> None:
        pass


MESSAGES = st.lists(
    st.one_of(
        st.dictionaries(st.text(max_size=5), st.one_of(st.text(), st.integers(), st.none(), st.booleans())),
        st.sampled_from([[], 17, "text", None]),
    ),
    max_size=12,
)


@settings(max_examples=60, deadline=None)
@given(MESSAGES, st.lists(st.integers(1, 40), min_size=1, max_size=30))
def test_messages_come_whole_and_in_order_however_their_bytes_are_split(
    values: list[JsonValue], sizes: list[int]
) -> None:
    async def heard() -> Ear:
        frames, ear = Frames(16 * MIB), Ear()
        running = asyncio.create_task(Wire(frames, Nowhere(), ear).run())
        lines = [{"jsonrpc": "2.0", "method": "m", "params": one} if isinstance(one, dict) else one for one in values]
        data, at, turn = b"".join(json.dumps(one, ensure_ascii=False).encode() + b"\n" for one in lines), 0, 0
        while at < len(data):
            frames.data_received(data[at : at + sizes[turn % len(sizes)]])
            at, turn = at + sizes[turn % len(sizes)], turn + 1
            await asyncio.sleep(0)
        frames.connection_lost(None)
        await running
        return ear

    ear = asyncio.run(heard())
    assert [params for _, params in ear.heard] == [one for one in values if isinstance(one, dict)]
    assert len(ear.bad) == len([one for one in values if not isinstance(one, dict)])
