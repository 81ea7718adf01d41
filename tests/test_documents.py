"""What the documents name is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = ("README.md", "ARCHITECTURE.md", *(str(page.relative_to(ROOT)) for page in ROOT.glob("desktop/**/README.md")))
PLACE = re.compile(r"`((?:[a-z_0-9]+/)+[a-z_0-9]+\.(?:py|toml|md|spec)|(?:[a-z_0-9]+/){2,})`")
MOST_LINES = 250
MOST_MODULES = 20


@pytest.mark.parametrize("page", PAGES)
def test_every_file_and_folder_that_a_page_names_is_there(page: str) -> None:
    file = ROOT / page
    named = PLACE.findall(file.read_text("utf-8"))
    places = (ROOT, ROOT / "desktop", file.parent)
    assert [name for name in named if not any((place / name).exists() for place in places)] == []


def test_the_architecture_is_read_in_ten_minutes() -> None:
    assert len((ROOT / "ARCHITECTURE.md").read_text("utf-8").splitlines()) <= MOST_LINES


def test_a_folder_holds_no_more_modules_than_the_architecture_says() -> None:
    folders = {file.parent for file in (ROOT / "desktop").rglob("*.py")} - {ROOT / "desktop" / "tools" / "builtin"}
    modules = {folder: len([file for file in folder.glob("*.py") if file.name != "__init__.py"]) for folder in folders}
    assert {str(folder): count for folder, count in modules.items() if count > MOST_MODULES} == {}
