"""What Git would show without its name in the command: files of a revision that hold secrets, and bare content."""

import pytest

from desktop.policy.shell.assess import assess_shell
from desktop.policy.shell.read.git_shown import MAX_OBJECTS, secrets_in_output
from desktop.policy.shell.read.world import TextWorld


class Printing(TextWorld):
    """A lane whose Git prints these names for every revision, and this type for every object."""

    def __init__(self, names: str = "", kind: str = "commit") -> None:
        super().__init__()
        self.names, self.kind = names, kind
        self.asked: list[tuple[str, ...]] = []

    def git_prints(self, folder: str, argv: tuple[str, ...]) -> str | None:
        self.asked.append(argv)
        return self.kind if argv[0] == "cat-file" else self.names


@pytest.mark.parametrize("line", ["git show HEAD", "git show --stat -p HEAD~2", "git diff HEAD~1", "git log -p -3"])
def test_a_revision_is_read_unless_it_holds_a_secret_file(line: str) -> None:
    assert assess_shell(line, Printing("src/a.py\0")).proven_read
    assert not assess_shell(line, Printing("src/a.py\0app/.env\0")).proven_read


@pytest.mark.parametrize("line", ["git show deadbeef", "git cat-file -p deadbeef", "git diff deadbeef cafe0123"])
def test_an_object_is_read_unless_it_is_the_content_of_a_file(line: str) -> None:
    assert assess_shell(line, Printing()).proven_read
    assert not assess_shell(line, Printing(kind="blob\n")).proven_read


def test_no_names_are_asked_for_where_a_file_of_a_revision_is_named() -> None:
    world = Printing()
    assert assess_shell("git show HEAD:src/a.py", world).proven_read
    assert world.asked == []


def test_more_objects_than_can_be_looked_at_are_not_proven() -> None:
    few, many = ([f"{number:08x}" for number in range(count)] for count in (MAX_OBJECTS, MAX_OBJECTS + 1))
    assert assess_shell(f"git show {' '.join(few)}", Printing()).proven_read
    assert not assess_shell(f"git show {' '.join(many)}", Printing()).proven_read


def test_what_git_printed_tells_the_files_it_showed() -> None:
    shown = """commit 1
diff --git a/src/a.py b/src/a.py
+++ b/src/a.py
diff --git a/config/credentials.json b/config/credentials.json
--- /dev/null
+++ "b/old secrets/server.pem"
diff --cc deploy/.env
HEAD~3:keys/id_rsa:1:x
    -:  ------- > 1:  abc add
     ## app/.env.local (new) ##
text about .env
"""
    found = secrets_in_output(shown)
    assert found == [
        "config/credentials.json", "old secrets/server.pem", "deploy/.env", "keys/id_rsa", "app/.env.local",
    ]  # fmt: skip
    assert secrets_in_output("x\n" * 30_000) == []
