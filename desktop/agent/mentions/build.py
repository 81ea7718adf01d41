"""Mentions as a theme: what messages can name with an `@`, found as it is written and read when it is sent."""

from desktop.agent.chats.named import Readers
from desktop.agent.core.ground import Ground
from desktop.agent.core.premises import Premises
from desktop.agent.core.sessions import Sessions
from desktop.agent.core.theme import Theme, handlers_of
from desktop.agent.gate.judge import Judge
from desktop.agent.mentions.commands import MentionCommands
from desktop.agent.mentions.places import LaneNames
from desktop.agent.mentions.reading import Beside, MentionReader


def mentions_theme(
    premises: Premises,
    sessions: Sessions,
    ground: Ground,
    judge: Judge,
    readers: Readers,
    beside: Beside,
) -> Theme:
    """`readers`: who reads what a message names, to which this one is added."""
    store, publish = premises.store, premises.telling.publish

    def lane_of(session_id: str) -> str:
        opened = (one for one in sessions.opened() if one.session_id == session_id)
        return next((one.lane.id for one in opened if one.lane is not None), "")

    def folder_of(lane_id: str) -> str:
        lane = ground.lanes.get(lane_id)
        return lane.worktree_path if lane is not None else ""

    names = LaneNames(lane_of, folder_of)
    reader = MentionReader(sessions, ground, names, judge, (store.proofs, store.blobs), beside)
    readers.add(reader.read)
    commands = MentionCommands(sessions, ground, names, store.proofs, publish, beside.agents)
    return Theme("mentions", handlers_of(commands), saw=names.saw, closed_first=(names,))
