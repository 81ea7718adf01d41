"""Commands tried in a copy of the lane before a person answers, as a theme."""

from desktop.agent.core.offers import offer
from desktop.agent.core.premises import Premises
from desktop.agent.core.sessions import Sessions
from desktop.agent.core.theme import Theme, handlers_of
from desktop.agent.gate.build import Gate
from desktop.agent.lanes.keeper import LaneKeeper
from desktop.agent.preview.copies import Copies
from desktop.agent.preview.keeper import PreviewKeeper, SessionTries, TryTelling
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.tools.offers import TriedEffects

FOLDER = "copies"


def preview_theme(
    premises: Premises, sessions: Sessions, keeper: LaneKeeper, gate: Gate, settings: SettingsKeeper
) -> Theme:
    """Copies live in the cache folder, which no command can see."""
    copies = Copies(premises.folders.cache / FOLDER, sessions, keeper, premises.store.blobs)
    publish, blobs = premises.telling.publish, premises.store.blobs
    telling = TryTelling(publish, blobs, lambda: settings.redactor, lambda: settings.current.try_risky)
    previews = PreviewKeeper(copies, gate.inputs, gate.commands, keeper, telling)
    of_chat = offer(TriedEffects, lambda session: SessionTries(previews, session))
    return Theme("preview", handlers_of(previews), offers=(of_chat,), saw=previews.real.saw, closed_first=(previews,))
