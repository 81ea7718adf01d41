"""Names found by some of their letters in order, and kept up with what changed."""

import string

from hypothesis import given
from hypothesis import strategies as st

from desktop.services.files.name_index import MOST_CHANGES, NameIndex, Names

FILES = ["auth/middleware.py", "aumento.md", "src/laurin.txt", "docs/Audit.md", "README.md", "src/main.py"]


def test_starts_of_words_and_letters_in_a_row_come_first():
    index = NameIndex(["auth/middleware.py", "docs/autumn items.md", "src/gaudium.py", "lib/about_units.py"])
    assert index.search("aumi", 4)[0] == "auth/middleware.py"
    assert NameIndex(FILES).search("main", 8)[0] == "src/main.py"
    assert NameIndex(FILES).search("AUDIT", 8) == ["docs/Audit.md"]


def test_the_last_part_counts_more_than_folders_and_a_shorter_name_more_than_a_longer():
    index = NameIndex(["test/run.py", "src/test.py", "src/deep/below/test.py"])
    assert index.search("test", 3) == ["src/test.py", "src/deep/below/test.py", "test/run.py"]


def test_nothing_written_gives_the_shortest_and_no_match_gives_nothing():
    index = NameIndex(FILES)
    assert index.search("", 2) == ["README.md", "aumento.md"]
    assert index.search("zzz", 8) == []
    assert NameIndex([]).search("a", 8) == []
    assert len(index) == len(FILES)


def test_the_part_behind_another_separator_can_count_most():
    index = NameIndex(["login.py#run", "run.py#login"], "#")
    assert index.search("login", 2) == ["run.py#login", "login.py#run"]


@given(st.lists(st.text(string.ascii_letters + "/._- ", min_size=1, max_size=12), unique=True), st.data())
def test_a_name_is_found_by_any_of_its_letters_in_order(names, data):
    name = data.draw(st.sampled_from(names)) if names else "a"
    letters = [char for char in name if char != " " and data.draw(st.booleans())]
    found = NameIndex(names).search("".join(letters), len(names) or 1)
    assert not names or name in found


def test_what_came_and_went_is_known_without_indexing_all_anew():
    names = Names(FILES)
    assert names.changed_to(FILES) is names
    changed = names.changed_to([*FILES[1:], "src/newly.py"])
    assert "src/newly.py" in changed
    assert len(changed) == len(FILES)
    assert [one.name for one in changed.ranked("newly", 3)] == ["src/newly.py"]
    assert "auth/middleware.py" not in [one.name for one in changed.ranked("aumi", 8)]
    assert sorted(changed.beginning("src/")) == ["src/laurin.txt", "src/main.py", "src/newly.py"]
    assert [one.name for one in changed.changed_to(FILES).ranked("aumi", 1)] == ["auth/middleware.py"]
    many = changed.changed_to([f"n{number}.py" for number in range(MOST_CHANGES + 9)])
    assert [one.name for one in many.ranked("n17.py", 1)] == ["n17.py"]
