"""The desks of a review: what changed in a lane, comments on it, taking it back, committing and pushing it."""

from desktop.agent.changes.comments import CommentsDesk
from desktop.agent.changes.commits import CommitDesk
from desktop.agent.changes.desk import ChangesDesk
from desktop.agent.changes.pushes import PushDesk
from desktop.agent.changes.reverts import RevertDesk
from desktop.agent.changes.scopes import ChangeScopes
from desktop.agent.changes.suggestions import SuggestDesk
from desktop.agent.core.desk import CommandDesk
from desktop.agent.core.parts import LaneParts


def review_desks(parts: LaneParts) -> tuple[CommandDesk, ...]:
    """All of them."""
    scopes = ChangeScopes(parts)
    return (
        ChangesDesk(parts, scopes), RevertDesk(parts, scopes), CommentsDesk(parts), CommitDesk(parts),
        PushDesk(parts), SuggestDesk(parts),
    )  # fmt: skip
