"""`desktop.records.dataclass`: what it makes late is what the standard library makes at once."""

import ast
import copy
import dataclasses
import pickle
import threading
from dataclasses import FrozenInstanceError, field
from pathlib import Path
from typing import Protocol

import pytest

from desktop.records import dataclass

ROOT = Path(__file__).parent.parent


@dataclass(frozen=True)
class Place:
    """At the top of the module, where pickle finds it."""

    x: int
    y: int = 0


class Measured(Protocol):
    """Something with a size."""

    def size(self) -> int:
        """How large."""


def test_methods_are_made_at_the_first_value() -> None:
    @dataclass(frozen=True)
    class Point:
        x: int
        y: int = 2
        more: list[int] = field(default_factory=list)

    assert "__init__" not in vars(Point)
    assert Point(1) == Point(x=1, y=2, more=[]) != Point(2)
    assert repr(Point(1)).endswith("Point(x=1, y=2, more=[])")
    with pytest.raises(FrozenInstanceError):
        Point(1).x = 3
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'x'"):
        Point()


def test_fields_and_patterns_are_those_of_the_standard_library() -> None:
    @dataclass
    class Point:
        x: int
        y: int = 2

    assert dataclasses.is_dataclass(Point)
    assert [one.name for one in dataclasses.fields(Point)] == ["x", "y"]
    assert dataclasses.replace(Point(1), y=5) == Point(1, 5)
    assert dataclasses.asdict(Point(1)) == {"x": 1, "y": 2}
    match Point(3):
        case Point(x, y):
            assert (x, y) == (3, 2)


def test_a_subclass_has_the_fields_of_its_base_whichever_is_used_first() -> None:
    @dataclass(frozen=True)
    class Base:
        x: int

    @dataclass(frozen=True)
    class Derived(Base):
        y: int = 1

    class Plain(Base):
        pass

    @dataclasses.dataclass(frozen=True)
    class Standard(Base):
        z: int = 2

    assert Derived(5) == Derived(x=5, y=1)
    assert Plain(6).x == 6
    assert Standard(7, z=8).x == 7
    assert Base(1) == Base(1)


def test_an_own_init_and_a_post_init_are_kept() -> None:
    @dataclass
    class Own:
        x: int

        def __init__(self, text: str) -> None:
            self.x = int(text)

    @dataclass(frozen=True)
    class After:
        x: int

        def __post_init__(self) -> None:
            if self.x < 0:
                raise ValueError("negative")

    assert Own("4") == Own("4")
    with pytest.raises(ValueError, match="negative"):
        After(-1)


def test_classes_that_are_made_in_their_own_way_are_made_at_once() -> None:
    @dataclass
    class Failure(Exception):
        code: int

    @dataclass(slots=True)
    class Small:
        x: int

    @dataclass(frozen=True)
    class Sized(Measured):
        x: int

        def size(self) -> int:
            return self.x

    with pytest.raises(Failure) as told:
        raise Failure(3)
    assert told.value.code == 3
    assert not hasattr(Small(1), "__dict__")
    assert Sized(2).size() == 2


def test_a_copy_and_a_pickle_are_equal_to_their_value() -> None:
    assert (
        pickle.loads(pickle.dumps(Place(1, 2))) == copy.deepcopy(Place(1, 2)) == copy.copy(Place(1, 2)) == Place(1, 2)
    )
    assert hash(Place(1)) == hash(Place(1, 0))


def test_a_value_that_is_made_without_init_has_its_methods() -> None:
    @dataclass(frozen=True)
    class Point:
        x: int

    point = Point.__new__(Point)
    object.__setattr__(point, "x", 1)
    assert point == Point(1)


def test_many_threads_may_make_the_first_value_at_once() -> None:
    for _ in range(20):

        @dataclass(frozen=True)
        class Wide:
            x: int
            more: tuple[int, ...] = ()
            texts: dict[str, str] = field(default_factory=dict)

        made: list[object] = []
        ready = threading.Barrier(8)

        def make(kind: type = Wide, into: list[object] = made, at: threading.Barrier = ready) -> None:
            at.wait()
            into.append(kind(1))

        threads = [threading.Thread(target=make) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert made == [Wide(1)] * 8


def test_the_program_uses_this_one_alone() -> None:
    own = ROOT / "desktop" / "records.py"
    for path in (ROOT / "desktop").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            standard = isinstance(node, ast.ImportFrom) and node.module == "dataclasses"
            assert path == own or not standard or "dataclass" not in {one.name for one in node.names}, path


def test_what_values_say_and_how_they_compare_is_as_in_the_standard_library() -> None:
    def of(made: type, **options: bool) -> type:
        class Point:
            x: float
            hidden: int = field(default=0, repr=False, compare=False)
            counted: int = field(default=0, hash=False)

        return made(**options)(Point)

    for options in ({}, {"frozen": True}, {"slots": True}, {"frozen": True, "slots": True}, {"repr": False}):
        here, there = of(dataclass, **options), of(dataclasses.dataclass, **options)
        nan = float("nan")
        for kind in (here, there):
            assert kind(nan) == kind(nan)
            assert kind(1.0, 2, 3) == kind(1.0, 5, 3) != kind(1.0, 2, 4)
            assert kind(1.0).__eq__(1.0) is NotImplemented
        assert repr(here(1.0, 2, 3)).split("(")[-1] == repr(there(1.0, 2, 3)).split("(")[-1] or "repr" in options
        if "frozen" in options:
            assert hash(here(1.0, 2, 3)) == hash(there(1.0, 2, 3)) == hash(here(1.0, 7, 8))
        else:
            assert here.__hash__ is there.__hash__ is None


def test_a_value_of_no_field_or_one_and_one_that_holds_itself_have_words() -> None:
    @dataclass(frozen=True)
    class Nothing:
        pass

    @dataclass
    class Node:
        next: object = None

    assert Nothing() == Nothing()
    assert hash(Nothing()) == hash(())
    assert repr(Nothing()).endswith("Nothing()")
    node = Node()
    node.next = node
    assert repr(node).endswith("Node(next=...)")


def test_own_methods_are_kept_and_orders_too() -> None:
    @dataclass(frozen=True)
    class Own:
        x: int
        y: int = 0

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Own) and self.x == other.x

        def __hash__(self) -> int:
            return self.x

        def __repr__(self) -> str:
            return "own"

    @dataclass(frozen=True)
    class Equal:
        x: int

        def __eq__(self, other: object) -> bool:
            return True

    @dataclass(eq=False)
    class Same:
        x: int

    @dataclass(frozen=True, order=True)
    class Ordered:
        x: int

    assert Own(1, 2) == Own(1, 3)
    assert (hash(Own(5)), repr(Own(5))) == (5, "own")
    assert hash(Equal(1)) == hash((1,))
    assert Same(1) != Same(1)
    assert hash(Same(1)) is not None
    assert sorted([Ordered(2), Ordered(1)]) == [Ordered(1), Ordered(2)]
