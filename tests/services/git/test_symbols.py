"""Where things are defined, found by how a definition begins."""

import pytest

from desktop.services.git.symbols import all_symbols, defined_in
from tests.agent.rig import make_repository


@pytest.mark.parametrize(
    ("path", "text", "names"),
    [
        ("a.py", "class A:\n    async def run(self):\n    x = define\n", ["A", "run"]),
        (
            "a.ts",
            "export const go = async (x) => 1\nexport default class B {}\ntype T = {}\nreturn (x)\n",
            ["go", "B", "T"],
        ),
        ("a.go", "func (s *Server) Serve() {\ntype Store struct {\n", ["Serve", "Store"]),
        ("a.rs", "pub(crate) async fn run() {}\npub struct S;\nmacro_rules! m {\n", ["run", "S", "m"]),
        ("a.rb", "  def self.find\nmodule M\n", ["find", "M"]),
        ("a.php", "public static function load() {\n", ["load"]),
        ("a.kt", "suspend fun load(): Int\ndata class P(val x: Int)\n", ["load", "P"]),
        ("a.java", "public final class Main {\nint total() {\n", ["Main"]),
        ("a.c", "#define LIMIT 3\nstruct node {\n", ["LIMIT", "node"]),
        ("a.sh", "function go {\nstop() {\n", ["go", "stop"]),
        ("a.sql", "CREATE TABLE IF NOT EXISTS users (\ncreate or replace view v as\n", ["users", "v"]),
        ("a.txt", "def run():\n", []),
    ],
)
def test_definitions_of_common_languages_are_known(path, text, names):
    assert [one.name for one in defined_in(path, text)] == names


@pytest.mark.asyncio
async def test_symbols_of_a_lane_are_found_but_not_in_ignored_files_and_those_of_secrets(tmp_path):
    files = {
        "src/a.py": "x = 1\n\n\nclass Login:\n    pass\n",
        ".gitignore": "out.py\n",
        ".ssh/key.py": "def leak(): 1\n",
    }
    folder = make_repository(tmp_path / "repo", files)
    (folder / "out.py").write_text("def built(): 1\n")
    (folder / "new.go").write_text("func Fresh() {}\n")
    found = {(one.path, one.name, one.line) for one in await all_symbols(folder)}
    assert found == {("src/a.py", "Login", 4), ("new.go", "Fresh", 1)}
