"""The commands of a review: what changed in a lane, comments on it, taking it back, committing and pushing it."""

from desktop.agent.changes.commands import ChangesCommands
from desktop.agent.changes.comments import CommentCommands
from desktop.agent.changes.commits import CommitCommands
from desktop.agent.changes.pusher import LanePusher
from desktop.agent.changes.pushes import PushCommands
from desktop.agent.changes.reverts import RevertCommands
from desktop.agent.changes.scopes import ChangeScopes
from desktop.agent.changes.suggestions import SuggestionCommands
from desktop.agent.core.commands import Commands
from desktop.agent.lanes.base import LaneBase
from desktop.agent.lanes.chats import LaneChats
from desktop.agent.turns.chat_work import ChatWork
from desktop.store.core.store import Store


def review_commands(base: LaneBase, chats: ChatWork, store: Store, pusher: LanePusher) -> tuple[Commands, ...]:
    """All of them."""
    ground, telling, files_of = base.ground, base.telling, base.contents.files
    lane_chats = LaneChats(chats.sessions, store.events)
    scopes = ChangeScopes(base.contents.keeper, chats.sessions)
    return (
        ChangesCommands(ground, telling.publish, base.clock, files_of, store.reviews, scopes),
        RevertCommands(ground, telling.publish, base.acts, base.contents, lane_chats, scopes),
        CommentCommands(ground, telling, base.clock, files_of, chats, store.reviews),
        CommitCommands(ground, telling, base.acts, files_of),
        PushCommands(ground, telling, pusher),
        SuggestionCommands(ground, telling.publish, files_of, chats),
    )
