"""What is promised is proved: promises, marks and the ids in comments fit together, and each fault is told."""

from pathlib import Path

from tests import promises

ONE = "-".join(("gate", "X1"))
TWO = "-".join(("gate", "X2"))


def project(root: Path, test: str, code: str = "") -> promises.Promises:
    """A project that promises ONE, with these texts of a test and of its code."""
    for name, text in (
        ("resources/promises.toml", f'[[area]]\ntitle = "Paths"\n[area.promises]\n{ONE} = "It holds."\n'),
        ("tests/test_it.py", test),
        ("desktop/it.py", code),
    ):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return promises.read(root)


def marked(promise: str) -> str:
    return f'@pytest.mark.promise("{promise}")\ndef test_it() -> None: ...\n'


def test_every_promise_is_proved_and_the_page_says_by_which_tests() -> None:
    """After a wanted change: `python -m tests.promises`."""
    told = promises.read(promises.ROOT)
    assert list(told.faults()) == []
    assert told.page() == (promises.ROOT / "resources/promises.md").read_text(encoding="utf-8"), promises.STALE


def test_a_promise_stands_on_the_page_with_its_tests(tmp_path: Path) -> None:
    told = project(tmp_path, marked(ONE), f'"""It ({ONE})."""\n')
    assert list(told.faults()) == []
    assert told.page().endswith(f"\n## Paths\n\n- **{ONE}** It holds.\n  - `tests/test_it.py::test_it`\n")


def test_a_promise_without_a_test_is_told(tmp_path: Path) -> None:
    told = project(tmp_path, f"# {ONE}\ndef test_it() -> None: ...\n")
    assert list(told.faults()) == [f"{ONE} is proved by no test. Mark the test that proves it, or remove the promise."]


def test_a_mark_that_is_no_promise_is_told(tmp_path: Path) -> None:
    told = project(tmp_path, marked(ONE) + marked(TWO))
    assert f"tests/test_it.py::test_it is marked with {TWO}, which is no promise." in told.faults()


def test_an_id_in_a_comment_that_is_no_promise_is_told(tmp_path: Path) -> None:
    told = project(tmp_path, marked(ONE), f'"""It ({ONE}, X2)."""\n\n# as {TWO} says\n')
    assert list(told.faults()) == [
        f"desktop/it.py:3: {TWO} is no promise of resources/promises.toml.",
        f"desktop/it.py:1: write each id of '{ONE}, X2' in full.",
    ]
