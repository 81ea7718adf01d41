"""The desks of a review: what changed in a lane, comments on it, taking it back, committing and pushing it."""

from desktop.agent.changes.comments import CommentsDesk
from desktop.agent.changes.commits import CommitDesk
from desktop.agent.changes.desk import ChangesDesk
from desktop.agent.changes.pusher import LanePusher
from desktop.agent.changes.pushes import PushDesk
from desktop.agent.changes.reverts import RevertDesk
from desktop.agent.changes.scopes import ChangeScopes
from desktop.agent.changes.suggestions import SuggestDesk
from desktop.agent.core.desk import CommandDesk
from desktop.agent.lanes.base import LaneBase
from desktop.agent.lanes.chats import LaneChats
from desktop.agent.turns.chat_work import ChatWork
from desktop.store.database import Store


def review_desks(base: LaneBase, chats: ChatWork, store: Store, pusher: LanePusher) -> tuple[CommandDesk, ...]:
    """All of them."""
    ground, telling, files_of = base.ground, base.telling, base.contents.files
    lane_chats = LaneChats(chats.sessions, store.events)
    scopes = ChangeScopes(base.contents.keeper, chats.sessions)
    return (
        ChangesDesk(ground, telling.publish, base.clock, files_of, store.database, scopes),
        RevertDesk(ground, telling.publish, base.acts, base.contents, lane_chats, scopes),
        CommentsDesk(ground, telling, base.clock, files_of, chats, store.database),
        CommitDesk(ground, telling, base.acts, files_of),
        PushDesk(ground, telling, pusher),
        SuggestDesk(ground, telling.publish, files_of, chats),
    )
