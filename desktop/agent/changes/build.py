"""The review of a lane as a theme: what changed in it, comments on that, taking it back, committing and pushing it."""

from desktop.agent.changes.commands import ChangesCommands
from desktop.agent.changes.comments import CommentCommands
from desktop.agent.changes.commits import CommitCommands
from desktop.agent.changes.pusher import LanePusher
from desktop.agent.changes.pushes import PushCommands
from desktop.agent.changes.reverts import RevertCommands
from desktop.agent.changes.scopes import ChangeScopes
from desktop.agent.changes.suggestions import SuggestionCommands
from desktop.agent.core.theme import Theme, handlers_of
from desktop.agent.lanes.base import LaneBase
from desktop.agent.lanes.chats import LaneChats
from desktop.agent.turns.chat_work import ChatWork
from desktop.services.git.login import Login
from desktop.store.core.store import Store


class Changes:
    """`pusher` pushes the branches of lanes."""

    def __init__(self, base: LaneBase, chats: ChatWork, store: Store, login: Login) -> None:
        ground, telling, files_of = base.ground, base.telling, base.contents.files
        self.pusher = LanePusher(ground, telling.publish, base.acts, files_of, login)
        lane_chats = LaneChats(chats.sessions, store.events)
        scopes = ChangeScopes(base.contents.keeper, chats.sessions, ground, files_of)
        self.theme = Theme(
            "changes",
            handlers_of(
                ChangesCommands(ground, telling.publish, base.clock, files_of, store.reviews, scopes),
                RevertCommands(ground, telling.publish, base.acts, base.contents, lane_chats, scopes),
                CommentCommands(ground, telling, base.clock, files_of, chats, store.reviews),
                CommitCommands(ground, telling, base.acts, files_of),
                PushCommands(ground, telling, self.pusher),
                SuggestionCommands(ground, telling.publish, files_of, chats),
            ),
        )
