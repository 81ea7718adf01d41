"""What people ask of guests beside messages: which there are, a trial, options, another agent, an end."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from desktop.config.folders import Folders
from desktop.domain.chats.commands import AddAttachment, ContinueWith, RewindSession
from desktop.domain.chats.queue_events import Limits
from desktop.domain.chats.updates import SessionForkedOff
from desktop.domain.commands import Interrupt, SendMessage
from desktop.domain.core.ids import new_session_id
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import AssistantMessage, Notice, TurnEnded, UserMessage
from desktop.domain.guests.commands import EndGuest, ListGuests, SetGuestOption, TestGuest
from desktop.domain.guests.events import GuestNoticed, GuestSessionBegan, GuestSessionEnded
from desktop.domain.guests.updates import GuestChanged, GuestsListed, GuestTested
from desktop.domain.history.state_of import message_text
from desktop.services.egress.egress import Egress, KeptOut
from tests.agent.guest_rig import ScriptedGuests, command
from tests.agent.rig import Rig
from tests.agent.wholeness import whole
from tests.fakes.acp_schema import problems
from tests.tools.test_read_file import png

pytestmark = pytest.mark.asyncio
EDIT, PLAN = PermissionMode.EDIT, PermissionMode.PLAN
MODEL = {
    "id": "model",
    "name": "Model",
    "category": "model",
    "type": "select",
    "currentValue": "small",
    "options": [{"value": one, "name": one.title()} for one in ("small", "large", "refused", "ignored")],
}
MODES = {"currentModeId": "auto", "availableModes": [{"id": "ask", "name": "Ask"}, {"id": "auto", "name": "Auto"}]}


async def begin(rig: Rig, guests: ScriptedGuests, *steps: dict, mode: PermissionMode = EDIT) -> str:
    guests.prompts = [list(steps), *guests.prompts]
    return await rig.new("Do it", mode, driver="fake", without_sandbox=True)


def last(rig: Rig) -> GuestChanged:
    return [one for one in rig.updates if isinstance(one, GuestChanged)][-1]


def texts(rig: Rig) -> list[str]:
    return [message_text(event) for event in rig.events(AssistantMessage)]


@pytest.mark.promise("guests-A12")
async def test_the_agents_that_are_known_are_listed_to_who_asks(rig: Rig) -> None:
    command = ListGuests()
    await rig.engine.handle(command)
    (listed,) = [one for one in rig.updates if isinstance(one, GuestsListed)]
    assert (listed.command_id, [one.label for one in listed.guests]) == (command.command_id, ["Fake Agent"])


@pytest.mark.promise("guests-A14")
async def test_an_agent_on_trial_says_what_it_can_and_is_ended(rig: Rig, guests: ScriptedGuests) -> None:
    can = {"loadSession": True, "promptCapabilities": {"image": True}}
    guests.more = {"init": {"agentCapabilities": can}, "new": {"configOptions": [MODEL], "modes": MODES}}
    await rig.engine.handle(TestGuest(guest_id="fake"))
    (tested,) = [one for one in rig.updates if isinstance(one, GuestTested)]
    assert tested.ok
    assert tested.text.startswith("Fake Agent 1.0 started in ")
    assert (tested.abilities.load, tested.abilities.image, tested.abilities.modes) == (True, True, ("ask", "auto"))
    assert [one.value for one in tested.options] == ["small"]
    assert guests.started[0].process.returncode is not None


@pytest.mark.promise("guests-A9")
async def test_an_agent_on_trial_that_cannot_start_is_told_in_words(rig: Rig, guests: ScriptedGuests) -> None:
    guests.more = {"init": {"protocolVersion": 2}}
    await rig.engine.handle(TestGuest(guest_id="fake"))
    (tested,) = [one for one in rig.updates if isinstance(one, GuestTested)]
    assert (tested.ok, tested.text) == (False, "Fake Agent speaks ACP 2; Banksman speaks 1.")
    await rig.engine.handle(TestGuest(guest_id="none"))
    assert [one.code for one in rig.failures()] == ["no_guest"]


@pytest.mark.promise("guests-A46")
async def test_a_model_is_chosen_of_those_that_the_agent_offers(rig: Rig, guests: ScriptedGuests) -> None:
    guests.more = {"new": {"configOptions": [MODEL, {**MODEL, "id": "mode", "category": "mode"}]}}
    session_id = await begin(rig, guests, {"say": "hi"})
    await rig.ended()
    assert [(one.id, one.value) for one in last(rig).options] == [("model", "small")]
    await rig.engine.handle(SetGuestOption(session_id=session_id, option_id="model", value="large"))
    assert [(one.id, one.value) for one in last(rig).options] == [("model", "large")]
    for value in ("refused", "ignored", "unheard-of"):
        await rig.engine.handle(SetGuestOption(session_id=session_id, option_id="model", value=value))
    words = ("answered: Not on a Friday.", "kept the value it had.", "does not offer this choice.")
    assert [one.text for one in rig.failures()] == [f"Fake Agent {word}" for word in words]
    assert [(one.id, one.value) for one in last(rig).options] == [("model", "large")]
    await rig.engine.handle(EndGuest(session_id=session_id))
    await rig.engine.handle(SetGuestOption(session_id=session_id, option_id="model", value="small"))
    assert rig.failures()[-1].code == "guest_resting"


@pytest.mark.promise("guests-A46")
async def test_a_model_of_the_older_kind_is_set_in_its_way(rig: Rig, guests: ScriptedGuests) -> None:
    models = {"currentModelId": "a", "availableModels": [{"modelId": "a", "name": "A"}, {"modelId": "b", "name": "B"}]}
    guests.more = {"new": {"models": models}}
    session_id = await begin(rig, guests, {"say": "hi"})
    await rig.ended()
    await rig.engine.handle(SetGuestOption(session_id=session_id, option_id="model", value="b"))
    assert [one.value for one in last(rig).options] == ["b"]
    assert [one["params"]["modelId"] for one in guests.sent("session/set_model")] == ["b"]


@pytest.mark.promise("guests-A47")
async def test_the_agents_own_commands_are_told_with_what_they_change(rig: Rig, guests: ScriptedGuests) -> None:
    commands = [{"name": "/compact", "description": "Shorten"}, {"name": "plan", "description": "Plan"}, 7]
    update = {"update": {"sessionUpdate": "available_commands_update", "availableCommands": commands}}
    await begin(rig, guests, update, {"say": "hi"})
    await rig.ended()
    assert [(one.name, bool(one.warning)) for one in last(rig).commands] == [("compact", True), ("plan", False)]


@pytest.mark.promise("guests-A47")
async def test_the_place_is_marked_where_an_agent_was_told_to_forget(rig: Rig, guests: ScriptedGuests) -> None:
    commands = [{"name": "compact", "description": "Shorten"}, {"name": "plan", "description": "Plan"}]
    update = {"update": {"sessionUpdate": "available_commands_update", "availableCommands": commands}}
    session_id = await begin(rig, guests, update, {"say": "hi"})
    await rig.ended()
    for number, text in enumerate(("/plan it", "/clear", "/compact all of it", "compact"), 2):
        await rig.engine.handle(SendMessage(session_id=session_id, text=text))
        await rig.ended(number)
    told = [one.text for one in rig.events(Notice) if one.kind == "guest"]
    assert told == [
        "Fake Agent was told to shorten what it remembers of what stands above. The chat stays as it is here."
    ]


@pytest.mark.promise("guests-A28")
async def test_a_mode_counts_once_the_agent_says_so(rig: Rig, guests: ScriptedGuests) -> None:
    guests.knows(asking_mode="ask", writes_unasked=True)
    guests.more = {"new": {"modes": MODES}, "confirms": True}
    await begin(rig, guests, {"say": "hi"})
    assert (await rig.ended()).status == "completed"
    assert (last(rig).abilities.mode, last(rig).abilities.mode_confirmed) == ("ask", True)
    assert rig.events(GuestNoticed) == []


@pytest.mark.promise("guests-A28")
@pytest.mark.parametrize(("writes_unasked", "status"), [(False, "completed"), (True, "failed")])
async def test_a_mode_that_nothing_confirms_is_told_and_refused_where_it_writes_unasked(
    rig: Rig, guests: ScriptedGuests, monkeypatch: pytest.MonkeyPatch, writes_unasked: bool, status: str
) -> None:
    monkeypatch.setattr("desktop.agent.guests.starting.link.CONFIRM_S", 0.1)
    guests.knows(asking_mode="ask", writes_unasked=writes_unasked)
    guests.more = {"new": {"modes": MODES}}
    session_id = await begin(rig, guests, {"say": "hi"})
    assert (await rig.ended()).status == status
    assert not last(rig).abilities.mode_confirmed
    if not writes_unasked:
        assert "Its mode: ask was asked for (mode not confirmed)" in last(rig).lines
    assert len(guests.sent("session/prompt")) == (not writes_unasked)
    whole(rig, session_id)


@pytest.mark.promise("guests-A28")
@pytest.mark.parametrize("told", ["yolo", "refused"])
async def test_a_mode_that_its_answer_does_not_confirm_is_set_by_its_option(
    rig: Rig, guests: ScriptedGuests, monkeypatch: pytest.MonkeyPatch, told: str
) -> None:
    monkeypatch.setattr("desktop.agent.guests.starting.link.CONFIRM_S", 0.1)
    wanted = "ask" if told == "yolo" else "refused"
    choices = [{"value": wanted, "name": "Ask"}, {"value": "yolo", "name": "Yolo"}]
    option = {"id": "m", "name": "Mode", "category": "mode", "type": "select", "currentValue": "yolo"}
    modes = {"currentModeId": "yolo", "availableModes": [{"id": one["value"], "name": one["name"]} for one in choices]}
    guests.knows(asking_mode=wanted, writes_unasked=True)
    guests.more = {"new": {"modes": modes, "configOptions": [{**option, "options": choices}]}}
    await begin(rig, guests, {"say": "hi"})
    ended = await rig.ended()
    (asked,) = guests.sent("session/set_config_option")
    assert (asked["params"]["configId"], asked["params"]["value"]) == ("m", wanted)
    assert ended.status == ("completed" if told == "yolo" else "failed")
    assert last(rig).abilities.mode_confirmed == (told == "yolo")


@pytest.mark.promise("guests-A28")
async def test_an_agent_that_never_confirms_a_mode_is_not_waited_for(
    rig: Rig, guests: ScriptedGuests, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("desktop.agent.guests.starting.link.CONFIRM_S", 10_000.0)
    guests.knows(asking_mode="ask", confirms_mode=False)
    guests.more = {"new": {"modes": MODES}}
    await begin(rig, guests, {"say": "hi"})
    assert (await rig.ended()).status == "completed"
    assert "Its mode: ask was asked for (mode not confirmed)" in last(rig).lines


async def test_a_mode_that_is_an_option_is_set_as_one(rig: Rig, guests: ScriptedGuests) -> None:
    guests.knows(asking_mode="ask", writes_unasked=True)
    choices = [{"value": "ask", "name": "Ask"}, {"value": "auto", "name": "Auto"}]
    option = {**MODEL, "id": "perm", "category": "mode", "currentValue": "auto", "options": choices}
    guests.more = {"new": {"configOptions": [option]}}
    await begin(rig, guests, {"say": "hi"})
    assert (await rig.ended()).status == "completed"
    assert [one["params"]["value"] for one in guests.sent("session/set_config_option")] == ["ask"]
    assert last(rig).abilities.mode_confirmed


async def test_an_agent_is_ended_by_a_person_and_started_by_the_next_message(rig: Rig, guests: ScriptedGuests) -> None:
    session_id = await begin(rig, guests, {"say": "one"})
    await rig.ended()
    assert last(rig).state == "running"
    await rig.engine.handle(EndGuest(session_id=session_id))
    assert last(rig).state == "resting"
    assert [one.why for one in rig.events(GuestSessionEnded)] == ["quit"]
    guests.prompts = [[{"say": "two"}]]
    await rig.engine.handle(SendMessage(session_id=session_id, text="go on"))
    await rig.ended(2)
    assert texts(rig) == ["one", "two"]
    whole(rig, session_id)


async def test_what_a_guest_was_started_as_counts_until_it_is_another(rig: Rig, guests: ScriptedGuests) -> None:
    session_id = await begin(rig, guests, {"say": "one"})
    await rig.ended()
    guests.prompts, guests.made_of = [[{"say": "two"}]], ("another key",)
    await rig.engine.handle(SendMessage(session_id=session_id, text="go on"))
    await rig.ended(2)
    assert (len(guests.started), texts(rig)) == (2, ["one", "two"])


@pytest.mark.promise("guests-A39")
async def test_a_guest_that_ends_by_itself_twice_is_not_started_again_by_itself(
    rig: Rig, guests: ScriptedGuests
) -> None:
    session_id = await begin(rig, guests, {"exit": 3})
    await rig.ended()
    for number in (2, 3):
        guests.prompts = [[{"exit": 3}]]
        await rig.engine.handle(SendMessage(session_id=session_id, text="again"))
        await rig.ended(number)
    assert len(guests.started) == 2
    assert "ended by itself 2 times within a minute" in rig.events(TurnEnded)[-1].detail


@pytest.mark.promise("guests-A51")
async def test_going_back_gives_the_agent_a_new_session_with_what_is_kept(rig: Rig, guests: ScriptedGuests) -> None:
    session_id = await begin(rig, guests, {"say": "one"})
    await rig.ended()
    kept = rig.engine.sessions.get(session_id).log[-1].event_id
    guests.prompts = []
    await rig.engine.handle(SendMessage(session_id=session_id, text="a wrong way"))
    await rig.ended(2)
    guests.prompts = [[{"say": "three"}]]
    await rig.engine.handle(RewindSession(session_id=session_id, to_event_id=kept, text="another way"))
    await rig.ended(3)
    told = str(guests.sent("session/prompt")[-1])
    assert "another way" in told
    assert "one" in told
    assert "a wrong way" not in told
    assert [one.how for one in rig.events(GuestSessionBegan)] == ["new", "new"]
    assert [one.text for one in rig.events(Notice) if one.kind == "guest"] == [
        "Fake Agent was started anew; it was given a summary."
    ]
    whole(rig, session_id)


async def continued(rig: Rig, session_id: str, **more: Any) -> str:
    new_id = new_session_id()
    await rig.engine.handle(ContinueWith(session_id=session_id, new_session_id=new_id, **more))
    assert rig.failures() == []
    assert [one.session_id for one in rig.updates if isinstance(one, SessionForkedOff)] == [new_id]
    return new_id


@pytest.mark.promise("guests-A52")
async def test_a_chat_goes_on_with_a_guest_that_is_told_what_was_before(rig: Rig, guests: ScriptedGuests) -> None:
    first = await begin(rig, guests, {"say": "I know the sea."}, mode=PLAN)
    await rig.ended()
    guests.prompts = [[{"say": "taken over"}]]
    new_id = await continued(rig, first, driver="fake", text="go on")
    await rig.ended(2)
    state = rig.engine.sessions.get(new_id).state
    assert (state.endpoint_id, state.mode) == ("guest:fake", PLAN)
    assert "I know the sea." in str(guests.sent("session/prompt")[-1])
    assert [one.note_kind for one in rig.events(UserMessage)].count("handover") == 1
    whole(rig, new_id)


@pytest.mark.promise("guests-A52")
async def test_a_guest_that_is_not_there_takes_nothing_over(rig: Rig, guests: ScriptedGuests) -> None:
    first = await begin(rig, guests, {"say": "one"})
    await rig.ended()
    await rig.engine.handle(ContinueWith(session_id=first, new_session_id=new_session_id(), driver="other"))
    assert [one.code for one in rig.failures()] == ["no_guest"]


@pytest.mark.promise("guests-A13")
async def test_another_program_than_before_is_told(rig: Rig, guests: ScriptedGuests) -> None:
    session_id = await begin(rig, guests, {"say": "one"})
    await rig.ended()
    for number, (version, digest) in enumerate([("2.0", "f"), ("2.0", "e"), ("2.0", "e")], 2):
        guests.more = {"init": {"agentInfo": {"name": "fake", "version": version}}}
        guests.sha256 = digest * 64
        guests.prompts = [[{"say": "again"}]]
        await rig.engine.handle(EndGuest(session_id=session_id))
        await rig.engine.handle(SendMessage(session_id=session_id, text="go on"))
        await rig.ended(number)
    told = [one for one in rig.events(GuestNoticed) if one.kind == "version"]
    assert [one.text for one in told] == [
        "Fake Agent 1.0 → 2.0",
        "Fake Agent 2.0 is another program than before, of the same version.",
    ]
    assert told[1].data == {"before": "f" * 64, "now": "e" * 64}


@pytest.mark.promise("guests-A50")
@pytest.mark.parametrize("takes", [True, False])
async def test_pictures_go_to_an_agent_that_takes_them(rig: Rig, guests: ScriptedGuests, takes: bool) -> None:
    picture = png(4, 4)
    for name, data in (("look.png", picture), ("notes.txt", b"salt")):
        await rig.engine.handle(AddAttachment(request_id=name, name=name, data=data))
    guests.more = {"init": {"agentCapabilities": {"promptCapabilities": {"image": takes}}}}
    guests.prompts = [[{"say": "seen"}]]
    names = ("look.png", "notes.txt")
    session_id = await rig.new("See @app.py, @none and @../x.", driver="fake", attachments=names)
    await rig.ended()
    (prompt,) = guests.sent("session/prompt")
    assert problems("session/prompt", "Request", prompt["params"]) == []
    parts = prompt["params"]["prompt"]
    assert [one["type"] for one in parts] == ["text", "resource_link", *(["image"] if takes else [])]
    assert parts[1]["name"] == "app.py"
    assert parts[1]["uri"] == (rig.lane(session_id) / "app.py").as_uri()
    (told,) = [one.text for one in rig.events(Notice) if one.level == "warning"]
    assert ("look.png" in told, "notes.txt" in told) == (not takes, True)


@pytest.mark.promise("guests-A49")
async def test_a_limit_in_money_begins_no_turn_whose_cost_nobody_knows(rig: Rig, guests: ScriptedGuests) -> None:
    await rig.new("Do it", driver="fake", limits=Limits(cost_microusd=1_000_000))
    assert [one.code for one in rig.failures()] == ["no_price"]
    assert guests.started == []


@pytest.mark.promise("guests-A30")
async def test_what_a_stopped_agent_leaves_running_is_ended_and_named(rig: Rig, guests: ScriptedGuests) -> None:
    spawned = guests.folder / "spawned"
    steps = ({"spawn": ["sleep", "12345"]}, {"touch": str(spawned)}, {"hold": True})
    session_id = await begin(rig, guests, *steps)
    await rig.until(lambda updates: spawned.exists())
    await rig.engine.handle(Interrupt(session_id=session_id))
    assert (await rig.ended()).reason == "stop"
    (told,) = [one.text for one in rig.events(GuestNoticed) if one.kind == "leftovers"]
    assert told == "Fake Agent left this running when it was stopped, which was ended: sleep."
    assert guests.started[0].process.returncode is None
    whole(rig, session_id)


@pytest.mark.promise("guests-A36")
async def test_what_the_model_service_is_not_asked_for_is_told_once(
    guests: ScriptedGuests, folders: Folders, repository: Path
) -> None:
    egress = Egress()
    rig = await Rig(folders, replace(guests.options, egress=egress)).open(repository)
    session_id = await begin(rig, guests, {"say": "hi"})
    await rig.ended()
    for path in ("GET /v1/files", "POST /telemetry"):
        egress.kept_out(KeptOut(session_id, "guest", "fake", path, 0))
    told = [one.text for one in rig.events(Notice) if one.kind == "egress"]
    await rig.engine.stop()
    assert told == [
        "The agent fake asked the model service for GET /v1/files, which was not passed on: only what asks a model is."
    ]


@pytest.mark.promise("guests-A27")
async def test_an_agent_that_was_found_out_works_in_this_mode_no_more(rig: Rig, guests: ScriptedGuests) -> None:
    ran = [{"sessionUpdate": "tool_call", "status": "completed", **command("python3 x.py", f"t{n}")} for n in range(3)]
    session_id = await begin(rig, guests, *({"update": one} for one in ran), {"hold": True})
    await rig.ended()
    await rig.engine.handle(SendMessage(session_id=session_id, text="go on"))
    assert "does not ask before it acts, so Edit cannot keep" in (await rig.ended(2)).detail
    assert len(guests.sent("session/prompt")) == 1
    whole(rig, session_id)


@pytest.mark.promise("guests-A61")
async def test_what_is_said_after_a_turn_is_a_row_and_what_is_asked_then_is_refused(
    rig: Rig, guests: ScriptedGuests, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("desktop.agent.guests.late_words.LATE_S", 0.05)
    write = {"write": "late.txt", "content": "x"}
    go = guests.folder / "go"
    late = [{"wait_file": str(go)}, {"say": "One more "}, {"say": "thing."}, {"ask": command("touch y")}, write]
    guests.more = {"after": late}
    session_id = await begin(rig, guests, {"say": "Done."})
    await rig.ended()
    go.touch()
    said = "Fake Agent said after its turn: One more thing."
    await rig.until(lambda updates: any(one.text.startswith(said) for one in rig.events(Notice)))
    await rig.until(lambda updates: any("error" in one for one in guests.sent()))
    assert guests.outcomes() == ["cancelled"]
    assert texts(rig) == ["Done."]
    assert not (rig.lane(session_id) / "late.txt").exists()
    whole(rig, session_id)


@pytest.mark.promise("guests-A44")
@pytest.mark.parametrize(
    ("more", "how"),
    [
        ({"init": {"agentCapabilities": {"sessionCapabilities": {"resume": {}}}}, "resume": True}, "resume"),
        ({"init": {"agentCapabilities": {"loadSession": True}}, "load": {"said": ["Do it"], "called": ["t9"]}}, "new"),
    ],
)
async def test_a_session_is_resumed_and_one_with_calls_that_nobody_saw_is_not_gone_on_with(
    rig: Rig, guests: ScriptedGuests, more: dict, how: str
) -> None:
    guests.more = more
    session_id = await begin(rig, guests, {"say": "one"})
    await rig.ended()
    await rig.engine.handle(EndGuest(session_id=session_id))
    guests.prompts = [[{"say": "two"}]]
    await rig.engine.handle(SendMessage(session_id=session_id, text="go on"))
    await rig.ended(2)
    assert [one.how for one in rig.events(GuestSessionBegan)] == ["new", how]
    assert texts(rig) == ["one", "two"]
    whole(rig, session_id)


@pytest.mark.promise("guests-A30")
async def test_a_guest_that_was_ended_by_a_stop_is_started_anew_by_the_next_message(
    rig: Rig, guests: ScriptedGuests, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("desktop.agent.guests.prompts.CANCEL_S", 0.2)
    deaf = guests.folder / "deaf"
    session_id = await begin(rig, guests, {"touch": str(deaf)}, {"deaf": True})
    await rig.until(lambda updates: deaf.exists())
    guests.prompts = [[{"say": "here again"}]]
    now = SendMessage(session_id=session_id, text="now this", interrupt=True)
    await rig.engine.handle(now)
    assert (await rig.ended()).status == "completed"
    assert (texts(rig), len(guests.started)) == (["here again"], 2)
    whole(rig, session_id)


@pytest.mark.promise("guests-A8")
async def test_a_text_in_very_many_pieces_is_whole(rig: Rig, guests: ScriptedGuests) -> None:
    session_id = await begin(rig, guests, {"pieces": 50_000})
    await rig.ended()
    assert "".join(texts(rig)) == "x" * 50_000
    whole(rig, session_id)
