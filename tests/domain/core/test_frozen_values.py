"""Every value of the domain is frozen, so it may be handed to any thread; and what it does not know, it refuses."""

import importlib
import pkgutil
from dataclasses import FrozenInstanceError, fields
from typing import TypeVar

import pytest
from pydantic import BaseModel, ValidationError

import desktop.domain
from desktop.domain.commands import SendMessage
from desktop.domain.core.base import Frozen
from desktop.domain.core.passing import Passing

T = TypeVar("T")


def all_below(cls: type[T]) -> set[type[T]]:
    """Those of the domain."""
    for module in pkgutil.walk_packages(desktop.domain.__path__, "desktop.domain."):
        importlib.import_module(module.name)
    below = {cls}.union(*(all_below(one) for one in cls.__subclasses__()))
    return {one for one in below if one.__module__.startswith("desktop.domain.")}


def test_every_value_that_is_stored_is_frozen_and_refuses_unknown_fields() -> None:
    values = all_below(Frozen)
    assert len(values) > 200
    rules = {(cls.model_config.get("frozen"), cls.model_config.get("extra")) for cls in values}
    assert rules == {(True, "forbid")}


def test_every_command_and_update_is_frozen_and_made_of_named_fields() -> None:
    values = {cls for cls in all_below(Passing) if not issubclass(cls, BaseModel)} - {Passing}
    assert len(values) > 250
    for cls in values:
        assert all(field.kw_only for field in fields(cls)), cls
        assert cls.__dataclass_params__.frozen, cls


def test_a_command_is_made_changed_and_compared_as_a_model_is() -> None:
    sent = SendMessage(session_id="ses_1", text="a")
    changed = sent.model_copy(update={"text": "b"})
    assert (changed.text, changed.command_id, sent.text) == ("b", sent.command_id, "a")
    assert sent == SendMessage(session_id="ses_1", text="a", command_id=sent.command_id) != changed
    with pytest.raises(FrozenInstanceError):
        sent.text = "c"
    with pytest.raises(TypeError, match="unexpected keyword argument 'more'"):
        SendMessage(session_id="ses_1", text="a", more=1)


def test_fields_from_elsewhere_are_validated() -> None:
    assert SendMessage.model_validate({"session_id": "ses_1", "text": "a"}).text == "a"
    for wrong in ({"text": 3}, {"text": "a", "more": 1}, {}):
        with pytest.raises(ValidationError):
            SendMessage.model_validate({"session_id": "ses_1", **wrong})
