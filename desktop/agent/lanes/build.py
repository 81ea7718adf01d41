"""Lanes as a theme: the list of them, how they are made, launched, edited and opened elsewhere."""

from functools import partial

from desktop.agent.core.offers import offer
from desktop.agent.core.sessions import Sessions
from desktop.agent.core.theme import Theme, handlers_of
from desktop.agent.lanes.ahead import LanesAhead
from desktop.agent.lanes.base import LaneBase
from desktop.agent.lanes.create import LaneCreate
from desktop.agent.lanes.editor import EditorCommands
from desktop.agent.lanes.edits import LaneEdit
from desktop.agent.lanes.launches import Begins, LaunchCommands
from desktop.agent.lanes.list import LaneList
from desktop.agent.lanes.maker import LaneMaker
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.services.git.login import Login
from desktop.tools.tool import MakeLane


class LaneMaking:
    """`list` tells the window which lanes there are, `maker` makes them. `starter` begins the chats of a launch."""

    def __init__(
        self, base: LaneBase, sessions: Sessions, settings: SettingsKeeper, starter: Begins, login: Login
    ) -> None:
        ground, telling, acts = base.ground, base.telling, base.acts
        self.list = LaneList(ground, telling)
        self.maker = LaneMaker(ground.lanes, base.clock, telling.listed, login)
        ahead = LanesAhead(ground)
        launches = LaunchCommands(ground, telling, acts.log, sessions, starter, self.maker)
        self.theme = Theme(
            "lanes",
            handlers_of(
                self.list,
                LaneCreate(ground, telling, acts.log, settings, self.maker),
                LaneEdit(ground, telling, acts, base.clock, settings),
                EditorCommands(ground, sessions, settings),
                launches,
                ahead,
            ),
            offers=(offer(MakeLane, lambda session: partial(self.maker.for_chat, session)),),
            starting=(ahead.start,),
            attendants=(self.maker, launches, ahead),
            closed_last=(base.contents.keeper,),
        )
