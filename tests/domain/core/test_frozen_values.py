"""Every value of the domain is frozen, so it may be handed to any thread; and what it does not know, it refuses."""

import importlib
import pkgutil
import subprocess
import sys
from dataclasses import FrozenInstanceError, fields
from pathlib import Path
from typing import TypeVar

import pytest
from pydantic import BaseModel, Field, ValidationError

import desktop.domain
from desktop.domain.commands import SendMessage
from desktop.domain.core.base import Frozen
from desktop.domain.core.passing import Passing

T = TypeVar("T")
WITH_A_PLUGIN = """
import sys
sys.path.insert(0, sys.argv[1])
from desktop.domain.core.base import Frozen
class Value(Frozen):
    number: int = 1
assert Value(number=2).number == 2
assert "listening" not in sys.modules
"""


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


def test_a_plugin_of_pydantic_that_is_installed_has_no_say_in_values(tmp_path: Path) -> None:
    (tmp_path / "listening.py").write_text("plugin = None\n")
    (tmp_path / "listening-1.dist-info").mkdir()
    (tmp_path / "listening-1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: listening\nVersion: 1\n")
    (tmp_path / "listening-1.dist-info" / "entry_points.txt").write_text("[pydantic]\nlistening = listening:plugin\n")
    done = subprocess.run([sys.executable, "-c", WITH_A_PLUGIN, str(tmp_path)], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()


def test_a_copy_is_what_pydantic_makes() -> None:
    class Value(Frozen):
        number: int = 1
        words: tuple[str, ...] = ()
        within: dict[str, list[int]] = Field(default_factory=dict)

    value = Value(words=("a",), within={"b": [1]})
    for deep in (False, True):
        for update in (None, {}, {"number": 2}, {"words": ()}):
            made = value.model_copy(update=update, deep=deep)
            wanted = BaseModel.model_copy(value, update=update, deep=deep)
            assert (made, made.model_fields_set, made.model_dump()) == (
                wanted, wanted.model_fields_set, wanted.model_dump()
            )  # fmt: skip
            assert (made.within is value.within) is not deep
            assert type(made) is Value
    assert value.model_fields_set == {"words", "within"}
