"""What holds for the message list of every log."""

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.domain.context.events import DeletionUndone, Rewound
from desktop.domain.event_json import dump_event, load_event
from desktop.domain.events import Envelope, SessionForked, UnknownEvent, UserMessage
from desktop.domain.history.builder import HistoryBuilder, reconstruct, to_messages
from desktop.domain.history.neutral import dump_neutral, load_neutral
from desktop.domain.history.packing import PackedLog
from tests.domain.product_logs import product_logs
from tests.validity import faults


def after(log, session, event, parent):
    """The log with one more event at the end of a session."""
    seq = 1 + max((e.seq for e in log if e.session_id == session), default=-1)
    event_id = f"{session}-{seq}"
    made = Envelope(event_id=event_id, session_id=session, seq=seq, parent_id=parent, at=log[0].at, event=event)
    return [*log, made]


@pytest.mark.promise("sessions-SH9")
@given(product_logs(anywhere=True))
def test_every_prefix_and_every_event_gives_a_valid_list(log):
    for envelope in log:
        assert faults(to_messages(log, at=envelope.event_id)) == []
    for count in range(len(log) + 1):
        assert faults(to_messages(log[:count])) == []


@given(product_logs(anywhere=True), st.data())
def test_fork_is_the_list_at_the_fork_point_plus_its_own(log, data):
    at = data.draw(st.sampled_from([e.event_id for e in log]))
    forked = after(log, "own", SessionForked(source_event_id=at), at)
    assert to_messages(forked, session_id="own") == to_messages(log, at=at)
    spoken = after(forked, "own", UserMessage(parts=({"type": "text", "text": "mine"},)), "own-0")
    grown = to_messages(spoken, session_id="own")
    assert grown[-1]["content"][-1] == {"type": "text", "text": "mine"}
    later = after(spoken, "main", UserMessage(parts=({"type": "text", "text": "theirs"},)), log[-1].event_id)
    assert to_messages(later, session_id="own") == grown


@given(product_logs(anywhere=True), st.data())
def test_rewind_gives_the_list_at_its_target(log, data):
    at = data.draw(st.sampled_from([e.event_id for e in log]))
    rewound = after(log, "main", Rewound(to_event_id=at), at)
    assert to_messages(rewound) == to_messages(log, at=at)


@given(product_logs(anywhere=True), st.integers(0, 5))
def test_order_of_the_log_means_nothing_and_the_same_path_gives_the_same_bytes(log, seed):
    shuffled = list(log)
    random.Random(seed).shuffle(shuffled)
    assert json.dumps(to_messages(shuffled)) == json.dumps(to_messages(log))


@given(product_logs(anywhere=True))
def test_unknown_events_between_any_two_change_nothing(log):
    noisy = []
    for envelope in log:
        noise_id = f"noise-{envelope.event_id}"
        noise = UnknownEvent(original_type="zz", raw="{}", reason="unknown_type")
        place = {"seq": envelope.seq * 2, "event_id": noise_id, "event": noise}
        noisy.append(envelope.model_copy(update=place))
        noisy.append(envelope.model_copy(update={"seq": envelope.seq * 2 + 1, "parent_id": noise_id}))
    assert to_messages(noisy, session_id="main") == to_messages(log, session_id="main")


@given(product_logs(anywhere=True))
def test_builder_equals_the_whole_fold_after_each_event(log):
    packed = PackedLog(kept=0)
    builder, small = HistoryBuilder(), HistoryBuilder(log=packed)
    silent = HistoryBuilder("main")
    for count, envelope in enumerate(log, start=1):
        packed.add(envelope)
        for each in (builder, small, silent):
            each.add(envelope)
        assert builder.reconstruction() == small.reconstruction() == reconstruct(log[:count])
    assert silent.messages() == to_messages(log)


@given(product_logs(anywhere=True), st.integers(min_value=0, max_value=20))
def test_a_packed_log_equals_the_log(log, kept):
    grown = PackedLog(kept=kept)
    for envelope in log:
        grown.add(envelope)
    assert list(grown) == log
    assert [one.kind for one in grown] == [one.kind for one in log]
    stored = [_as_stored(envelope) for envelope in log]
    assert list(PackedLog(stored, kept=kept)) == log
    assert to_messages(PackedLog(stored, kept=kept)) == to_messages(log)
    continued = PackedLog(stored[: len(log) // 2], kept=kept)
    for envelope in stored[len(log) // 2 :]:
        continued.add(envelope)
    assert list(continued) == log


def _as_stored(envelope):
    if isinstance(envelope.event, UnknownEvent):
        return envelope
    place = envelope.model_dump(exclude={"event"})
    text = dump_event(envelope.event, envelope.event_id, envelope.parent_id)
    return Envelope.late(place, envelope.kind, text, load_event)


@given(product_logs(anywhere=True))
def test_neutral_form_gives_every_log_back(log):
    dumped = json.loads(json.dumps(dump_neutral(log)))
    again = load_neutral(dumped)
    by_session = sorted(log, key=lambda e: (list(dict.fromkeys(x.session_id for x in log)).index(e.session_id), e.seq))
    assert again == by_session
    assert load_neutral(dump_neutral(again)) == again


@given(product_logs(anywhere=True))
def test_reader_of_the_neutral_tables_alone_gets_the_same_list(log):
    told = [e for e in log if not isinstance(e.event, DeletionUndone)]
    if len(told) != len(log):
        return
    plain = [{k: v for k, v in event.items() if k != "x_banksman"} for event in dump_neutral(log)]
    assert to_messages(load_neutral(plain)) == to_messages(log)


@given(product_logs(anywhere=True), st.data())
def test_a_builder_that_takes_over_what_another_read_goes_on_as_if_it_had_read_it(log, data):
    cut = data.draw(st.integers(0, len(log)))
    waiting, reading, read_here = HistoryBuilder(), HistoryBuilder(), HistoryBuilder()
    for envelope in log[:cut]:
        for builder in (waiting, reading, read_here):
            builder.add(envelope)
    reading.rendered()
    assert reading.ready
    assert not waiting.ready
    for envelope in log[cut:]:
        waiting.add(envelope)
        reading.add(envelope)
    waiting.take_over(reading)
    for envelope in log[cut:]:
        read_here.add(envelope)
    assert waiting.ready == reading.ready
    assert waiting.reconstruction() == read_here.reconstruction() == reconstruct(log)
    assert waiting.path() == read_here.path()
