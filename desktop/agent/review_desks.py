"""The desks of a review: what changed in a lane, comments on it, taking it back, committing and pushing it."""

from desktop.agent.change_scopes import ChangeScopes
from desktop.agent.changes_desk import ChangesDesk
from desktop.agent.command_desk import CommandDesk
from desktop.agent.comments_desk import CommentsDesk
from desktop.agent.commit_desk import CommitDesk
from desktop.agent.lane_parts import LaneParts
from desktop.agent.push_desk import PushDesk
from desktop.agent.revert_desk import RevertDesk
from desktop.agent.suggest_desk import SuggestDesk


def review_desks(parts: LaneParts) -> tuple[CommandDesk, ...]:
    """All of them."""
    scopes = ChangeScopes(parts)
    return (
        ChangesDesk(parts, scopes), RevertDesk(parts, scopes), CommentsDesk(parts), CommitDesk(parts),
        PushDesk(parts), SuggestDesk(parts),
    )  # fmt: skip
