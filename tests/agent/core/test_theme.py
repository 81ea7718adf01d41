"""Themes: the order in which they are told and closed, and what two of them may not share."""

import inspect

import pytest

from desktop.agent.core.offers import Offers, offer
from desktop.agent.core.theme import Theme, Themes
from desktop.config.settings import Settings
from desktop.domain.commands import OpenProject, SendMessage
from desktop.domain.core.command import Command
from desktop.domain.core.update import Update
from desktop.domain.hooks.commands import LoadHooks
from desktop.domain.mcp.commands import LoadMcpServers
from desktop.domain.updates import EngineReady
from desktop.tools.pull_calls import ChatPulls
from tests.agent.rig import Rig


class Part:
    """Writes down what it is told."""

    def __init__(self, name: str, told: list[str]) -> None:
        self.name, self.told = name, told

    def saw(self, update: Update) -> None:
        self.told.append(f"{self.name} saw {type(update).__name__}")

    def start(self) -> None:
        self.told.append(f"{self.name} starts")

    def project_opened(self) -> None:
        self.told.append(f"{self.name} opens")

    async def close(self) -> None:
        self.told.append(f"{self.name} closes")


async def nothing(command: object) -> None:
    """Carries nothing out."""


@pytest.mark.asyncio
async def test_themes_are_told_and_closed_in_the_order_of_the_list() -> None:
    told: list[str] = []
    first, checks, second, ground = (Part(name, told) for name in ("first", "checks", "second", "ground"))
    themes = Themes(
        Theme("one", saw=first.saw, starting=(first.start,), attendants=(first,), closed_last=(ground,)),
        Theme("two", saw=second.saw, attendants=(second,), closed_first=(checks,)),
    )
    themes.start()
    themes.saw(EngineReady(settings=Settings()))
    themes.project_opened()
    assert told == ["first starts", "first saw EngineReady", "second saw EngineReady", "first opens", "second opens"]
    told.clear()
    await themes.close()
    assert told == ["checks closes", "first closes", "second closes"]
    await themes.close_last()
    assert told[3:] == ["ground closes"]


def test_no_command_is_carried_out_twice() -> None:
    one, other = Theme("one", {OpenProject: nothing, SendMessage: nothing}), Theme("two", {SendMessage: nothing})
    with pytest.raises(ValueError, match="SendMessage is carried out by two parts"):
        Themes(one, other)


def test_nothing_is_offered_twice() -> None:
    themes = Themes(*(Theme(name, offers=(offer(ChatPulls, lambda session: None),)) for name in ("one", "two")))
    with pytest.raises(ValueError, match="ChatPulls is offered twice"):
        Offers().give(*themes.offers)


@pytest.mark.asyncio
async def test_the_list_of_all_themes_keeps_its_order(rig: Rig) -> None:
    """Who sees an update first, is told of a repository first and is closed first."""
    themes = rig.engine.parts.themes
    assert [type(one).__name__ for one in themes.attendants] == [
        "MemoryTeller",
        "MemorySweep",
        "LaneRepairs",
        "TerminalCommands",
        "LaneSetups",
        "LaneRunCommands",
        "LaneSpaceCommands",
        "StackCommands",
        "HandoverCommands",
        "LaneMaker",
        "LaunchCommands",
        "LanesAhead",
        "StatusCommands",
        "GitHubCommands",
        "ReportBook",
        "Proofs",
        "PullCommands",
        "ResolutionRounds",
        "AutoRebase",
        "EgressKeeper",
    ]
    assert [type(one).__name__ for theme in themes.listed for one in theme.closed_first] == [
        "JudgementAhead",
        "LaneNames",
        "ChildRuns",
        "ChildProgress",
        "ReportCommands",
        "Episodes",
        "PreviewKeeper",
        "ReleaseKeeper",
        "CallHooks",
        "Acp",
    ]
    assert [type(one).__name__ for theme in themes.listed for one in theme.closed_last] == [
        "RunEnds",
        "LaneKeeper",
        "GitHubAccess",
        "SettingsKeeper",
        "CredentialKeeper",
        "ContextKeeper",
        "SearchCommands",
        "LibraryCommands",
        "AuditCommands",
        "Mcp",
        "Egress",
        "HookRuns",
        "Guests",
    ]


@pytest.mark.asyncio
async def test_every_command_that_is_carried_out_late_has_what_carries_it_out(rig: Rig) -> None:
    late: set[type[Command]] = set()
    for theme in rig.engine.parts.themes.listed:
        for kind, run in theme.handlers.items():
            outside = inspect.getclosurevars(run).nonlocals if inspect.isfunction(run) else {}
            if "table" in outside:
                assert kind in outside["table"](), f"{theme.name} declares {kind.__name__} and does not carry it out"
                late.add(kind)
    assert {LoadMcpServers, LoadHooks} <= late
