"""Every value of the domain is frozen, so it may be handed to any thread; and what it does not know, it refuses."""

import importlib
import pkgutil

import desktop.domain
from desktop.domain.core.base import Frozen


def all_below(cls: type[Frozen]) -> set[type[Frozen]]:
    return {cls}.union(*(all_below(one) for one in cls.__subclasses__()))


def test_every_value_of_every_module_is_frozen_and_refuses_unknown_fields() -> None:
    for module in pkgutil.walk_packages(desktop.domain.__path__, "desktop.domain."):
        importlib.import_module(module.name)
    values = {cls for cls in all_below(Frozen) if cls.__module__.startswith("desktop.domain.")}
    assert len(values) > 500
    rules = {(cls.model_config.get("frozen"), cls.model_config.get("extra")) for cls in values}
    assert rules == {(True, "forbid")}
