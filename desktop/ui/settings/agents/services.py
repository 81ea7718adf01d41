"""Which services of a person an agent of others can ask its model through, and why the others are not offered."""

from functools import reduce

from desktop.config.settings import Endpoint
from desktop.domain.core.service_kinds import DIALECT_WORDS, ServiceKind
from desktop.domain.display.text import display_text
from desktop.domain.guests.updates import GuestListing
from desktop.language import tr
from desktop.records import dataclass
from desktop.ui.settings.saver import SettingsSaver
from desktop.ui.widgets.pick_list import PickItem

OWN_SIGN_IN = (tr("Its own sign-in"), tr("it keeps a token in its folder"))
THROUGH = tr("Through Banksman it gets a key that is worth nothing elsewhere, and reaches no other host.")
_KEPT = tr("through Banksman, which keeps the key")


@dataclass(frozen=True)
class Services:
    """`items`: those that fit; `chosen`: the one that is set, "" for none; `others`: why the rest is not there."""

    items: tuple[PickItem, ...] = ()
    chosen: str = ""
    others: str = ""


def services_for(listed: GuestListing, saver: SettingsSaver) -> Services:
    """The services of the settings as the list of one agent has them. One that is set stays there though it does not
    fit."""
    dialect, chosen = listed.takes_model, saver.settings.guest_models.get(listed.id, "")
    if not dialect:
        kept = (one for one in saver.settings.endpoints if one.id == chosen)
        return Services(tuple(_item(one, tr("cannot be told of it")) for one in kept), chosen)
    kinds = {one.name: one for one in saver.facts.service_kinds}
    items: list[PickItem] = []
    others: dict[str, list[str]] = {}
    for endpoint in saver.settings.endpoints:
        kind = kinds.get(endpoint.kind, ServiceKind(name=endpoint.kind, label=endpoint.kind))
        if dialect in kind.speaks:
            items.append(_item(endpoint, _KEPT))
        elif dialect in kind.perhaps:
            items.append(
                _item(
                    endpoint,
                    tr(
                        "through Banksman, which keeps the key, if it speaks {protocol}",
                        protocol=DIALECT_WORDS[dialect],
                    ),
                )
            )
        else:
            spoken = _spoken(kind) or tr("none that is known")
            others.setdefault(spoken, []).append(display_text(endpoint.label))
            if endpoint.id == chosen:
                items.append(_item(endpoint, tr("does not speak {protocol}", protocol=DIALECT_WORDS[dialect])))
    told = "; ".join(f"{', '.join(labels)} ({spoken})" for spoken, labels in others.items())
    needs = tr(
        "{agent} asks in {protocol}, so these are not offered: {services}.",
        agent=display_text(listed.label),
        protocol=DIALECT_WORDS[dialect],
        services=told,
    )
    return Services(tuple(items), chosen, needs if told else "")


def _spoken(kind: ServiceKind) -> str:
    words = [DIALECT_WORDS[one] for one in kind.speaks]
    return reduce(lambda first, second: tr("{first} and {second}", first=first, second=second), words) if words else ""


def _item(endpoint: Endpoint, about: str) -> PickItem:
    return PickItem(endpoint.id, display_text(endpoint.label), about)
