"""Hearing: what reaches a part of a window, in which order, and until when."""

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QDialog, QWidget

from desktop.config.settings import Settings
from desktop.domain.updates import EngineStopped, KeysChanged, SettingsChanged
from desktop.ui.core.hearing import Hearing

STOPPED, CLOSED = EngineStopped(reason="It ended."), KeysChanged(keys=())
SETTINGS = SettingsChanged(settings=Settings())


@pytest.fixture
def heard() -> list[object]:
    return []


def test_a_part_takes_its_kinds_in_the_order_of_the_batch_and_no_other(heard):
    hearing = Hearing().on(KeysChanged, heard.append).on(EngineStopped, heard.append)

    hearing.take([STOPPED, SETTINGS, CLOSED, STOPPED])

    assert heard == [STOPPED, CLOSED, STOPPED]


def test_parts_take_a_batch_one_after_the_other_as_they_were_declared(heard):
    first = Hearing().on(EngineStopped, lambda update: heard.append("first"))
    second = Hearing().on(EngineStopped, lambda update: heard.append("second"))

    Hearing(first, second).take([STOPPED, STOPPED])

    assert heard == ["first", "first", "second", "second"]


def test_several_kinds_can_be_taken_together_and_a_whole_batch_too(heard):
    hearing = Hearing().together((EngineStopped, KeysChanged), heard.append).every(heard.append)

    hearing.take([STOPPED, SETTINGS, CLOSED])
    hearing.take([SETTINGS])

    assert heard == [[STOPPED, CLOSED], [STOPPED, SETTINGS, CLOSED], [SETTINGS]]


def test_one_kind_can_be_kept_from_a_part_by_what_an_update_says(heard):
    part = Hearing().on(EngineStopped, heard.append).on(KeysChanged, heard.append).after(lambda: heard.append("over"))
    other = EngineStopped(reason="Another end.")

    Hearing(part.without(EngineStopped, lambda update: update == STOPPED)).take([STOPPED, CLOSED, other])

    assert heard == [CLOSED, other, "over"]


def test_what_comes_after_a_batch_is_done_once_when_all_have_taken_it(heard):
    first = Hearing().on(EngineStopped, heard.append).after(lambda: heard.append("after"))
    second = Hearing().on(EngineStopped, heard.append)

    Hearing(first, second).take([STOPPED])
    Hearing(first, second).take([SETTINGS])

    assert heard == [STOPPED, STOPPED, "after", "after"]


def test_a_kind_that_is_taken_twice_in_one_place_is_refused_at_once(heard):
    with pytest.raises(ValueError, match="EngineStopped is taken twice"):
        Hearing().on(EngineStopped, heard.append).on(EngineStopped, heard.append)


def test_what_joins_is_heard_until_its_owner_is_destroyed(heard, qtbot):
    owner, hearing = QObject(), Hearing()
    hearing.join(Hearing().on(EngineStopped, heard.append), owner)
    hearing.take([STOPPED])

    with qtbot.waitSignal(owner.destroyed):
        owner.deleteLater()
    hearing.take([STOPPED])

    assert heard == [STOPPED]


def test_a_dialog_that_joined_hears_nothing_once_it_is_closed_though_it_is_kept(heard, qtbot):
    parent, hearing = QWidget(), Hearing()
    qtbot.addWidget(parent)
    dialog = QDialog(parent)
    hearing.join(Hearing().on(EngineStopped, heard.append), dialog)
    dialog.open()
    hearing.take([STOPPED])

    dialog.reject()
    hearing.take([STOPPED])

    assert heard == [STOPPED]


def test_a_part_that_joins_while_a_batch_is_taken_hears_the_next_one(heard, qtbot):
    owner, hearing = QObject(), Hearing()
    later = Hearing().on(EngineStopped, heard.append)
    hearing.on(KeysChanged, lambda update: hearing.join(later, owner))

    hearing.take([CLOSED, STOPPED])
    assert heard == []

    hearing.take([STOPPED])
    assert heard == [STOPPED]


def test_what_comes_after_a_batch_is_left_out_where_nothing_is_to_follow(heard):
    still = [True]
    hearing = (
        Hearing()
        .then(lambda: heard.append("then"), unless=lambda: still[0])
        .after(lambda: heard.append("after"), unless=lambda: still[0])
    )

    hearing.take([STOPPED])
    assert heard == []

    still[0] = False
    hearing.take([STOPPED])
    assert heard == ["then", "after"]
