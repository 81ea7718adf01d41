"""Making, importing, editing and switching lanes as a person does: what the dialogs say, refuse and send."""

from datetime import timedelta

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from desktop.config.settings import Endpoint, Settings
from desktop.domain.lanes.commands import (
    AdoptLane,
    CreateLane,
    CreateLanesForModels,
    EditLane,
    ImportLane,
    LoadLaneBases,
    LoadWorktrees,
    SwitchLaneBranch,
)
from desktop.domain.lanes.lane import LaneStatus
from desktop.domain.lanes.updates import (
    FoundWorktree,
    LaneBase,
    LaneBasesListed,
    LaneCreated,
    LanesChanged,
    LanesLaunched,
    WorktreesListed,
)
from desktop.domain.updates import CommandFailed, EndpointChecked, EngineReady, KeysChanged, ModelInfo
from desktop.ui.chats.commands import ChatCommands
from desktop.ui.chats.composer.drafts import NEW_CHAT, Drafts
from desktop.ui.chats.place_choice import PlaceChoice
from desktop.ui.core.engine_facts import EngineFacts
from desktop.ui.core.lane_book import LaneBook
from desktop.ui.core.requests import Requests
from desktop.ui.lanes.begin import (
    adopt_lane,
    edit_lane,
    import_lane,
    new_lane,
    several_models,
    switch_branch,
    tell_of_launch,
)
from desktop.ui.lanes.window import WindowLanes
from tests.ui.shell_samples import LANE, NOW, Recorder, make_lane

OTHER = make_lane(7, "other").model_copy(update={"color": "green"})
BASES = (
    LaneBase(ref="origin/main", oid="a" * 40, kind="default"),
    LaneBase(ref="main", oid="b" * 40, kind="branch", behind=3, open_in="your checkout"),
    LaneBase(ref="spare", oid="c" * 40, kind="branch"),
    LaneBase(ref="origin/main", oid="a" * 40, kind="remote"),
)


class Hands:
    """A person's, over the dialogs of one window."""

    def __init__(self, qtbot, *lanes):
        self.qtbot = qtbot
        self.window = QWidget()
        self.window.resize(900, 700)
        qtbot.addWidget(self.window)
        self.sink, self.notes, self.chats, self.shown_lanes = Recorder(), [], [], []
        self.book = LaneBook()
        self.book.hearing.take([LanesChanged(lanes=lanes)])
        self.host = WindowLanes(
            self.book, ChatCommands(Requests(self.sink), self.window), lambda _chat: "", self.window
        )
        self.host.noted.connect(lambda text, error: self.notes.append((text, error)))
        self.host.page_wanted.connect(lambda lane: self.chats.append(lane.id))
        self.host.lane_wanted.connect(self.shown_lanes.append)
        self.window.show()

    def see(self, name):
        found = [one for one in self.window.findChildren(QWidget, name) if one.isVisible()]
        assert found, f"{name} is not shown"
        return found[-1]

    def shown(self, name):
        return any(one.isVisible() for one in self.window.findChildren(QWidget, name))

    def click(self, name):
        QTest.mouseClick(self.see(name), Qt.MouseButton.LeftButton)

    def tick(self, name):
        self.see(name).click()

    def write(self, name, text):
        field = self.see(name)
        field.setFocus()
        field.clear()
        if text.isascii():
            QTest.keyClicks(field, text)
        else:
            field.insert(text)

    def pick(self, name, words):
        """Choose an entry of a list by what is typed into its search."""
        self.click(name)
        self.write(f"{name}_search", words)
        QTest.keyClick(self.see(f"{name}_search"), Qt.Key.Key_Return)

    def last(self, kind):
        return [command for command in self.sink.sent if isinstance(command, kind)][-1]

    def sent(self, kind):
        return [command for command in self.sink.sent if isinstance(command, kind)]

    def tell(self, *updates):
        self.host.requests.deliver(updates, self.host.hearing)

    def list_bases(self, **fields):
        command_id = self.last(LoadLaneBases).command_id
        listed = {"bases": BASES, "prefix": "lane/", "command_id": command_id, "fetched": True, **fields}
        self.tell(LaneBasesListed.model_validate(listed))

    def refuse(self, kind, text, code="failed"):
        self.tell(CommandFailed(command_id=self.last(kind).command_id, code=code, text=text))


@pytest.fixture
def hands(qtbot):
    return Hands(qtbot, LANE, OTHER)


@pytest.fixture
def dialog(hands):
    new_lane(hands.host)
    hands.list_bases()
    return hands


def test_a_lane_is_made_from_its_name_and_a_chat_begins_in_it(dialog):
    assert not dialog.see("lane_create").isEnabled()
    assert dialog.see("lane_create").toolTip() == "Give the lane a name."
    dialog.write("lane_name", "Füx login")
    assert dialog.see("lane_branch").text() == "Branch lane/fux-login"
    assert dialog.see("lane_base").full_text == "origin/main  default"
    QTest.keyClick(dialog.see("lane_name"), Qt.Key.Key_Return)
    command = dialog.last(CreateLane)
    assert (command.name, command.base, command.start_from, command.allow_behind) == ("Füx login", "", "base", False)
    assert dialog.see("lane_create").text() == "Creating…"
    QTest.keyClick(dialog.see("lane_name"), Qt.Key.Key_Return)
    assert len(dialog.sent(CreateLane)) == 1, "a second Enter makes no second lane"
    made = make_lane(9, "Füx login")
    dialog.tell(LaneCreated(command_id=command.command_id, lane=made, notices=("Submodules are not filled.",)))
    assert not dialog.shown("lane_dialog")
    assert (dialog.chats, dialog.notes) == ([made.id], [("Submodules are not filled.", False)])


def test_what_the_engine_says_stands_in_the_dialog_and_nowhere_else(dialog):
    dialog.write("lane_name", "!!!")
    assert dialog.see("lane_create").toolTip() == "Give the lane a name with a letter or a digit."
    dialog.write("lane_name", "x")
    dialog.click("lane_create")
    first = dialog.last(CreateLane)
    dialog.refuse(CreateLane, 'There is a lane named "x" already. Choose another name.')
    assert dialog.see("lane_error").text() == 'There is a lane named "x" already. Choose another name.'
    assert dialog.notes == []
    dialog.tick("lane_start_chat")
    dialog.write("lane_name", "y")
    dialog.click("lane_create")
    again = dialog.last(CreateLane)
    assert again.lane_id != first.lane_id
    dialog.tell(LaneCreated(command_id=again.command_id, lane=OTHER))
    assert (dialog.chats, dialog.shown_lanes) == ([], [OTHER.id])


@pytest.mark.promise("lanes-L11")
def test_a_base_that_is_behind_is_taken_only_when_a_person_ticks_it(dialog):
    dialog.write("lane_name", "x")
    assert not dialog.shown("lane_allow_behind")
    dialog.pick("lane_base", "main 3")
    assert dialog.see("lane_base").full_text == "main  3 commits behind · open in your checkout"
    assert dialog.see("lane_allow_behind").text() == "Begin there although it is 3 commits behind"
    dialog.click("lane_create")
    assert (dialog.last(CreateLane).base, dialog.last(CreateLane).allow_behind) == ("main", False)
    dialog.refuse(CreateLane, "main is 4 commits behind origin/main. Allow it.", "behind")
    dialog.tick("lane_allow_behind")
    dialog.click("lane_create")
    assert dialog.last(CreateLane).allow_behind


def test_uncommitted_changes_are_listed_and_moved_only_after_a_second_yes(dialog):
    dialog.write("lane_name", "x")
    dialog.click("lane_start_changes")
    assert dialog.see("lane_changes_words").text() == "Nothing in your checkout is uncommitted."
    assert not dialog.see("lane_create").isEnabled()
    dialog.list_bases(uncommitted=("a.py", "b\u202e.py"), left_out=("vendor/lib",))
    assert "2 files." in dialog.see("lane_changes_words").text()
    assert "vendor/lib" in dialog.see("lane_changes_words").text()
    listed = dialog.see("lane_changes")
    assert listed.item(0).text() == "a.py"
    assert "\u202e" not in listed.item(1).text()
    dialog.click("lane_create")
    assert (dialog.last(CreateLane).start_from, dialog.last(CreateLane).confirmed_paths) == ("copy_changes", ())
    dialog.refuse(CreateLane, "no")
    dialog.tick("lane_move")
    assert dialog.see("lane_create").text() == "Create lane and move…"
    dialog.click("lane_create")
    assert dialog.see("lane_move_files").count() == 2
    dialog.click("lane_move_cancel")
    assert len(dialog.sent(CreateLane)) == 1
    dialog.click("lane_create")
    dialog.click("lane_move_go")
    moved = dialog.last(CreateLane)
    assert (moved.start_from, moved.confirmed_paths) == ("move_changes", ("a.py", "b\u202e.py"))


def test_a_branch_that_is_free_can_be_taken_over_and_a_lane_can_stack(dialog):
    dialog.write("lane_name", "x")
    dialog.click("lane_start_branch")
    assert not dialog.shown("lane_branch")
    assert dialog.see("lane_existing").full_text == "spare"
    dialog.click("lane_create")
    assert (dialog.last(CreateLane).start_from, dialog.last(CreateLane).base) == ("branch", "spare")
    dialog.refuse(CreateLane, 'Branch "spare" is open in lane "other".')
    dialog.click("lane_start_base")
    dialog.pick("lane_parent", "other")
    assert not dialog.shown("lane_base")
    dialog.click("lane_create")
    assert (dialog.last(CreateLane).parent_id, dialog.last(CreateLane).base) == (OTHER.id, "")


def test_the_dialog_says_that_it_fetches_and_that_it_could_not(hands):
    new_lane(hands.host, OTHER.id)
    assert hands.see("lane_parent").full_text.startswith("other")
    hands.pick("lane_parent", "None")
    assert hands.see("lane_base_note").text() == "Reading branches…"
    hands.list_bases(fetched=False)
    assert hands.see("lane_base_note").text() == "Fetching…"
    hands.list_bases(fetched=False, notice="origin could not be fetched: no route.")
    assert hands.see("lane_base_note").text() == "origin could not be fetched: no route."


def test_a_worktree_or_a_folder_is_imported(hands):
    import_lane(hands.host)
    command_id = hands.last(LoadWorktrees).command_id
    found = (
        FoundWorktree(path="/w/theirs", branch="theirs", head="a" * 40),
        FoundWorktree(path="/w/gone", branch="", head="b" * 40, problem="The folder /w/gone is gone."),
    )
    hands.tell(WorktreesListed(command_id=command_id, worktrees=found))
    listed = hands.see("lane_import_list")
    assert not listed.item(1).flags() & Qt.ItemFlag.ItemIsEnabled
    assert not hands.see("lane_import").isEnabled()
    listed.setCurrentRow(0)
    assert hands.see("lane_import_path").text() == "/w/theirs"
    hands.write("lane_import_name", "Theirs")
    hands.click("lane_import")
    command = hands.last(ImportLane)
    assert (command.path, command.name) == ("/w/theirs", "Theirs")
    hands.refuse(ImportLane, "This folder is the archived lane 'x'. Unarchive it instead.")
    assert "Unarchive it instead" in hands.see("lane_error").text()
    hands.click("lane_import")
    hands.tell(LaneCreated(command_id=hands.last(ImportLane).command_id, lane=OTHER))
    assert not hands.shown("lane_import_dialog")
    assert hands.shown_lanes == [OTHER.id]


def test_an_unknown_folder_among_the_lanes_is_offered_once(hands):
    offers = []
    hands.host.offered.connect(lambda text, button, act: offers.append((text, button, act)))
    for _ in range(2):
        hands.tell(LanesChanged(lanes=(LANE, OTHER), unknown=("/w/lanes/<b>", "/w/lanes/x")))
    ((text, button, act),) = offers
    assert (text, button) == ("Unknown folder: “<b>” stands among the lanes and is none. 1 more like it.", "Import…")
    act()
    assert hands.see("lane_import_path").text() == "/w/lanes/<b>"
    assert hands.see("lane_import_show").isEnabled()


def test_only_what_was_changed_of_a_lane_is_sent(hands):
    edit_lane(hands.host, LANE.id)
    hands.click("lane_edit_save")
    assert not hands.shown("lane_edit_dialog")
    assert hands.sent(EditLane) == []
    edit_lane(hands.host, LANE.id)
    hands.write("lane_edit_name", "New words")
    hands.write("lane_edit_tags", "one,  two two ,")
    assert not hands.see("lane_edit_color_green").isEnabled()
    assert "other" in hands.see("lane_edit_color_green").toolTip()
    hands.click("lane_edit_color_purple")
    hands.click("lane_edit_icon_bolt")
    hands.tick("lane_edit_rename_branch")
    hands.click("lane_edit_save")
    command = hands.last(EditLane)
    assert (command.name, command.tags, command.color, command.icon) == (
        "New words",
        ("one", "two two"),
        "purple",
        "bolt",
    )
    assert (command.description, command.rename_branch) == (None, True)
    hands.refuse(EditLane, 'There is a lane named "New words" already. Choose another name.')
    assert "already" in hands.see("lane_error").text()
    hands.click("lane_edit_save")
    hands.tell(LanesChanged(lanes=(LANE, OTHER)))
    assert hands.shown("lane_edit_dialog"), "the lane is as it was"
    hands.tell(LanesChanged(lanes=(LANE.model_copy(update={"name": "New words"}), OTHER)))
    assert not hands.shown("lane_edit_dialog")


def test_a_branch_that_a_remote_has_keeps_its_name(hands):
    hands.book.statuses = {LANE.id: LaneStatus(lane_id=LANE.id, read_at=NOW, remote_ahead=0)}
    edit_lane(hands.host, LANE.id)
    assert not hands.shown("lane_edit_rename_branch")


def test_another_branch_is_chosen_among_those_that_are_free(hands):
    switch_branch(hands.host, LANE.id)
    assert not hands.see("lane_switch").isEnabled()
    hands.list_bases()
    hands.click("lane_switch")
    assert hands.last(SwitchLaneBranch).branch == "spare"
    hands.refuse(SwitchLaneBranch, "2 files in this lane are not committed.")
    assert "not committed" in hands.see("lane_error").text()


def test_adopting_asks_first(hands):
    adopt_lane(hands.host, OTHER.id)
    assert hands.sent(AdoptLane) == []
    hands.click("lane_adopt")
    assert hands.last(AdoptLane).lane_id == OTHER.id


@pytest.fixture
def engine():
    facts = EngineFacts()
    endpoint = Endpoint(id="e", label="Service", kind="compatible", base_url="http://127.0.0.1:1", auth="none",
                        default_model="big")  # fmt: skip
    settings = Settings(endpoints=(endpoint,), default_endpoint="e")
    facts.hearing.take([EngineReady(settings=settings), KeysChanged(keys=())])
    models = (ModelInfo(id="big", name="Big"), ModelInfo(id="small", name="Small"), ModelInfo(id="s2", name="Small"))
    facts.hearing.take([EndpointChecked(command_id="", endpoint_id="e", ok=True, text="", models=models)])
    return facts


def test_one_prompt_goes_to_the_models_that_are_ticked(hands, engine, tmp_path):
    drafts = Drafts(QSettings(str(tmp_path / "d.ini"), QSettings.Format.IniFormat))
    drafts.keep(NEW_CHAT, "Fix the cart total please")
    several_models(hands.host, engine, drafts)
    hands.list_bases()
    assert hands.see("lane_models_text").toPlainText() == "Fix the cart total please"
    assert hands.see("lane_models_name").text() == "fix-the-cart-total-please"
    listed = hands.see("lane_models_list")
    ticked = [listed.item(row).checkState() is Qt.CheckState.Checked for row in range(listed.count())]
    assert ticked[:3] == [True, False, False]
    assert hands.see("lane_models_words").text() == "Choose at least 2."
    for row in (1, 2):
        listed.item(row).setCheckState(Qt.CheckState.Checked)
    hands.write("lane_models_name", "cart")
    assert hands.see("lane_models_go").text() == "Start in 3 lanes"
    hands.click("lane_models_go")
    command = hands.last(CreateLanesForModels)
    assert [(slot.name, slot.model) for slot in command.slots] == [
        ("cart Big", "big"), ("cart Small", "small"), ("cart Small 2", "s2"),
    ]  # fmt: skip
    hands.refuse(CreateLanesForModels, "Nothing was sent. There is a lane named “cart Big” already.")
    assert "Nothing was sent" in hands.see("lane_error").text()
    hands.click("lane_models_go")
    sent = hands.last(CreateLanesForModels)
    ids = tuple(slot.session_id for slot in sent.slots[:2])
    hands.tell(
        LanesLaunched(command_id=sent.command_id, session_ids=ids, failed=(("cart Small 2", "the limit is reached"),))
    )
    assert not hands.shown("lane_models_dialog")
    assert hands.notes == [("Begun in 2 lanes. cart Small 2: the limit is reached", True)]
    assert drafts.text(NEW_CHAT) == ""
    tell_of_launch(hands.host, LanesLaunched(command_id="", session_ids=(), failed=(("x", "closed before"),)))
    assert hands.notes[-1] == ("Nothing was begun. x: closed before", True)


def test_a_new_chat_can_work_in_a_lane_that_is_there(qtbot):
    window = QWidget()
    window.resize(900, 700)
    qtbot.addWidget(window)
    place = PlaceChoice(window)
    place.resize(800, 40)
    window.show()

    def see(name):
        return next(one for one in window.findChildren(QWidget, name) if one.isVisible())

    place.show_lanes(())
    assert not see("composer_place_existing").isEnabled()
    archived = OTHER.model_copy(update={"state": "archived", "created_at": OTHER.created_at + timedelta(days=1)})
    place.show_lanes((LANE, OTHER))
    QTest.mouseClick(see("composer_place_existing"), Qt.MouseButton.LeftButton)
    QTest.keyClicks(see("lane_search"), "oth")
    QTest.keyClick(see("lane_search"), Qt.Key.Key_Return)
    assert (place.place, place.lane_id) == ("existing", OTHER.id)
    assert see("composer_place_existing").text() == "In other"
    place.show_lanes((LANE, OTHER.model_copy(update={"name": "cart"})))
    assert see("composer_place_existing").text() == "In cart", "the lane was renamed"
    assert see("composer_place_existing").toolTip() == "cart"
    assert (place.place, place.lane_id) == ("existing", OTHER.id)
    place.show_lanes((LANE, archived))
    assert (place.place, place.lane_id) == ("lane", "")
