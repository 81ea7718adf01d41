"""The page Skills of the settings: how skills stand, looking at one, accepting exactly it, trust, and the trash."""

import pytest
from PySide6.QtWidgets import QLineEdit, QListWidget, QPlainTextEdit, QPushButton

from desktop.domain.skills.remote import SkillAddressChecked, SkillsFetched
from desktop.domain.skills.review import Origin, ReviewFile, SkillReview
from desktop.domain.skills.updates import (
    AgentRow,
    RemovedSkill,
    SkillImport,
    SkillImportsFound,
    SkillReviewed,
    SkillRow,
    SkillsLoaded,
    WaitingTrust,
)
from desktop.domain.updates import CommandFailed
from tests.ui.settings_place import Place

ON = SkillRow(skill_id="notes", scope="person", state="on", place="notes", description="How notes are written", files=2)
CHANGED = SkillRow(
    skill_id="tidy", scope="person", state="review", place="tidy", why="Its files are others.", files=1, accepted=True
)
SHARED = SkillRow(
    skill_id="deploy", scope="repository", state="review", place=".banksman/skills/deploy", why="Not trusted.", files=1
)
BROKEN = SkillRow(skill_id="odd", scope="person", state="fault", place="odd", why="odd/SKILL.md, line 3: No\u202e.")
REVIEW = SkillReview(
    skill_id="tidy",
    source="/home/you/tidy",
    sha256="a" * 64,
    files=(
        ReviewFile(path="SKILL.md", size=9, sha256="b" * 64, text="Tidy\u202eup"),
        ReviewFile(path="go.sh", size=3, sha256="c" * 64, script=True, text="echo go"),
        ReviewFile(path="blob", size=3, sha256="d" * 64, note="no text"),
    ),
    marks=("It has scripts.",),
    difference="-old\n+new",
)


@pytest.fixture
def place(qtbot):
    place = Place(qtbot, "skills")
    reply(place, SkillsLoaded(skills=(ON, CHANGED, SHARED, BROKEN)))
    return place


def reply(place, update):
    place.apply(update.model_copy(update={"command_id": place.sink.sent[-1].command_id}))


def rows(place, name):
    found = place.get(f"settings_skills_{name}", QListWidget)
    return [found.item(at).text() for at in range(found.count())]


def choose(place, at):
    place.get("settings_skills_list", QListWidget).setCurrentRow(at)


def test_the_folders_are_looked_at_when_the_page_is_shown_and_not_before(qtbot):
    place = Place(qtbot, "general")
    assert "load_skills" not in place.sink.kinds()
    place.dialog.show_page("skills")
    place.dialog.show_page("general")
    place.dialog.show_page("skills")
    assert place.sink.kinds().count("load_skills") == 1


def test_every_skill_says_how_it_stands_and_why(place):
    found = rows(place, "list")
    assert found[0].startswith("notes · on · your own · 2 files")
    assert "waits for your review" in found[1]
    assert "of the repository, .banksman/skills/deploy" in found[2]
    assert "cannot be used" in found[3]
    choose(place, 3)
    assert "\u202e" not in place.text("settings_skills_why")
    assert "line 3" in place.text("settings_skills_why")
    assert not place.get("settings_skills_review").isEnabled(), "nothing of it can be shown"


def test_a_skill_is_accepted_exactly_as_it_was_shown(place):
    choose(place, 1)
    place.click("settings_skills_review")
    asked = place.sink.sent[-1]
    assert (asked.type, asked.source, asked.place) == ("review_skill", "own", "tidy")
    reply(place, SkillReviewed(review=REVIEW))
    dialog = place.dialog
    text = place.get("skill_text", QPlainTextEdit, dialog)
    assert text.toPlainText() == "-old\n+new", "the difference stands first"
    files = place.get("skill_files", QListWidget, dialog)
    assert [files.item(at).text() for at in range(files.count())][2] == "go.sh · 3 B · script"
    files.setCurrentRow(2)
    assert text.toPlainText() == "echo go"
    files.setCurrentRow(1)
    assert "\u202e" not in text.toPlainText()
    files.setCurrentRow(3)
    assert "no text" in text.toPlainText()

    place.click("skill_agree", dialog)
    sent = place.sink.sent[-1]
    assert (sent.type, sent.skill_id, sent.sha256) == ("install_skill", "tidy", "a" * 64)
    place.apply(CommandFailed(command_id=sent.command_id, code="skill", text="tidy changed after it was shown."))
    assert place.text("skill_dialog_problem", dialog) == "tidy changed after it was shown."
    assert not place.get("skill_agree", QPushButton, dialog).isEnabled()


def test_what_cannot_be_installed_is_shown_with_the_reason_and_no_way_to_do_it(place):
    page = place.get("settings_skills")
    page.install_from("/home/you/plugin", "folder")
    asked = place.sink.sent[-1]
    assert (asked.source, asked.place) == ("folder", "/home/you/plugin")
    reply(place, SkillReviewed(review=REVIEW.model_copy(update={"problem": "It has no SKILL.md."})))
    dialog = place.dialog
    assert place.text("skill_problem", dialog) == "It has no SKILL.md."
    assert not place.get("skill_agree", QPushButton, dialog).isEnabled()


def test_a_skill_of_the_repository_is_looked_at_and_trusted_with_the_others(place):
    waiting = WaitingTrust(
        what="skills", label="the checkout", sha256="e" * 64, names=("deploy: How",), places=("s/d",)
    )
    agents = WaitingTrust(what="agents", label="the checkout", sha256="f" * 64, names=("scout: Looks",))
    place.get("settings_skills").install_from("/x.zip", "zip")
    assert place.sink.sent[-1].source == "zip"
    choose(place, 2)
    place.click("settings_skills_review")
    assert place.sink.sent[-1].source == "repository"
    reply(place, SkillReviewed(review=REVIEW))
    assert not place.shown("skill_agree"), "it is trusted with the others"
    place.click("skill_cancel")
    choose(place, 0)
    place.click("settings_skills_remove")
    reply(place, SkillsLoaded(skills=(SHARED,), waiting=(waiting, agents)))
    place.click("settings_skills_trust_skills_look_d")
    asked = place.sink.sent[-1]
    assert (asked.source, asked.place, asked.sha256) == ("repository", "s/d", "e" * 64), "of what waits, not another"
    place.click("settings_skills_trust_skills_accept")
    sent = place.sink.sent[-1]
    assert (sent.type, sent.what, sent.sha256) == ("trust_skills", "skills", "e" * 64)
    place.apply(CommandFailed(command_id=sent.command_id, code="skill", text="The skills changed meanwhile."))
    assert "changed meanwhile" in place.text("settings_skills_problem")
    shown = place.get("settings_skills_trust_agents_names", QPlainTextEdit)
    assert (shown.toPlainText(), shown.isReadOnly()) == ("scout: Looks", True)
    place.click("settings_skills_trust_agents_accept")
    assert (place.sink.sent[-1].what, place.sink.sent[-1].sha256) == ("agents", "f" * 64)


def test_a_skill_is_taken_away_and_brought_back(place):
    choose(place, 0)
    place.click("settings_skills_remove")
    assert (place.sink.sent[-1].type, place.sink.sent[-1].skill_id) == ("uninstall_skill", "notes")
    reply(
        place,
        SkillsLoaded(skills=(CHANGED,), removed=(RemovedSkill(token="t1", skill_id="notes", until="2026-01-01"),)),
    )
    assert rows(place, "trash") == ["notes · kept until 1 Jan 2026"]
    place.click("settings_skills_restore")
    assert (place.sink.sent[-1].type, place.sink.sent[-1].token) == ("restore_skill", "t1")
    place.click("settings_skills_back")
    assert (place.sink.sent[-1].type, place.sink.sent[-1].skill_id) == ("restore_skill", "tidy")


def test_agents_from_files_are_listed_with_what_is_ignored(place):
    place.click("settings_skills_remove")
    agent = AgentRow(
        name="scout",
        scope="person",
        state="on",
        place="agents/scout.md",
        description="Looks",
        notes=("No effect: hooks.",),
    )
    reply(place, SkillsLoaded(agents=(agent,)))
    words = place.get("settings_skills_agents").accessibleDescription()
    assert words == "scout · on · your own, agents/scout.md\nLooks\nNo effect: hooks."
    assert place.text("settings_skills_none") == "There is no skill yet."


def test_skills_of_other_programs_are_listed_on_click_and_looked_at_one_by_one(place):
    assert not place.get("settings_skills_imports").isVisible()
    place.get("settings_skills_import", QPushButton).click()
    assert place.sink.sent[-1].type == "find_skill_imports"
    reply(place, SkillImportsFound())
    assert "No skill of another program" in place.text("settings_skills_imports_none")
    place.get("settings_skills_import", QPushButton).click()
    tidy = SkillImport(skill_id="tidy", program="Codex", place="/home/you/.codex/skills/tidy", description="Tidies.")
    odd = SkillImport(skill_id="odd", program="Codex", place="/home/you/.codex/skills/odd", problem="No name.")
    reply(place, SkillImportsFound(imports=(tidy, odd)))
    assert rows(place, "imports") == [
        "tidy · of Codex · /home/you/.codex/skills/tidy\nTidies.",
        "odd · of Codex · /home/you/.codex/skills/odd\nNo name.",
    ]
    take = place.get("settings_skills_take", QPushButton)
    place.get("settings_skills_imports", QListWidget).setCurrentRow(1)
    assert not take.isEnabled()
    place.get("settings_skills_imports", QListWidget).setCurrentRow(0)
    take.click()
    asked = place.sink.sent[-1]
    assert (asked.type, asked.source, asked.place) == ("review_skill", "folder", tidy.place)


def test_an_address_is_shown_as_it_is_sent_before_anything_is_fetched_and_one_skill_is_looked_at_at_once(place):
    place.click("settings_skills_fetch")
    go = place.get("skill_fetch_go", QPushButton)
    assert not go.isEnabled()
    place.get("skill_fetch_address", QLineEdit).setText("https://bücher.example/s")
    go.click()
    asked = place.sink.sent[-1]
    assert (asked.type, asked.address) == ("check_skill_address", "https://bücher.example/s")
    host = {"host": "bücher.example", "sent_as": "xn--bcher-kva.example"}
    reply(place, SkillAddressChecked(address="https://xn--bcher-kva.example/s", **host))
    assert place.text("skill_fetch_host") == "It will be fetched from bücher.example, written xn--bcher-kva.example."
    place.get("skill_fetch_branch", QLineEdit).setText("main")
    assert not place.shown("skill_fetch_host"), "another place is another question"
    go.click()
    assert place.sink.sent[-1].type == "check_skill_address"
    reply(place, SkillAddressChecked(address="https://xn--bcher-kva.example/s", branch="main", **host))
    go.click()
    sent = place.sink.sent[-1]
    assert (sent.type, sent.address, sent.branch) == ("fetch_skills", "https://xn--bcher-kva.example/s", "main")
    place.apply(CommandFailed(command_id=sent.command_id, code="skill", text="It is larger than 20 MiB."))
    assert place.text("lane_error") == "It is larger than 20 MiB."
    go.click()
    one = SkillImport(skill_id="notes", program="bücher.example", place="skills/notes", description="Notes.")
    reply(place, SkillsFetched(address=sent.address, commit="c" * 40, skills=(one,)))
    asked = place.sink.sent[-1]
    assert (asked.source, asked.place, asked.sha256) == ("commit", "skills/notes", "c" * 40)
    reply(place, SkillReviewed(review=REVIEW))
    assert place.shown("skill_agree")


def test_of_several_fetched_skills_a_person_chooses_and_an_update_asks_the_same_place(place):
    assert not place.shown("settings_skills_update"), "it was not fetched"
    origin = Origin(address="https://site.example/s.git", branch="v1", folder="a", commit="b" * 40)
    place.click("settings_skills_remove")
    reply(place, SkillsLoaded(skills=(ON.model_copy(update={"origin": origin}),)))
    place.click("settings_skills_update")
    sent = place.sink.sent[-1]
    assert (sent.type, sent.address, sent.branch, sent.folder) == ("fetch_skills", origin.address, "v1", "a")
    found = [SkillImport(skill_id=name, program="site.example", place=name) for name in ("one", "two")]
    bad = SkillImport(skill_id="three", program="site.example", place="", problem="'out' is a link.")
    reply(place, SkillsFetched(address=origin.address, commit="d" * 40, skills=(*found, bad)))
    assert place.sink.sent[-1] is sent, "nothing is looked at before one is chosen"
    assert rows(place, "imports")[2] == "three · of site.example\n'out' is a link."
    place.get("settings_skills_imports", QListWidget).setCurrentRow(1)
    place.click("settings_skills_take")
    assert (place.sink.sent[-1].source, place.sink.sent[-1].place) == ("commit", "two")
