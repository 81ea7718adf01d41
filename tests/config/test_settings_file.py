import os
import stat
from pathlib import Path

import pytest
from pydantic import ValidationError

from desktop.config.databases import DatabaseConnection
from desktop.config.prices import ModelPrice
from desktop.config.settings import ANTHROPIC_ENDPOINT, Appearance, Endpoint, Settings, limits_problem
from desktop.config.settings_file import limit_problems, load_lanes_root, load_language, load_settings, save_settings
from desktop.domain.chats.queue_events import Limits
from desktop.domain.core.errors import SettingsError
from desktop.domain.memory.values import OwnWords

LOCAL = Endpoint(id="local", label="Local", kind="compatible", base_url="http://127.0.0.1:11434", auth="none")
PRICE = ModelPrice(model="llama3", input_microusd=0, output_microusd=500_000)
OTHER_PRICE = ModelPrice(model="qwen3", input_microusd=1, output_microusd=2)


def test_no_file_means_the_defaults(tmp_path: Path) -> None:
    assert load_settings(tmp_path / "settings.toml") == Settings()


def test_what_is_saved_is_what_is_loaded(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "settings.toml"
    changed = Settings(
        endpoints=(ANTHROPIC_ENDPOINT, LOCAL.model_copy(update={"prices": (PRICE, OTHER_PRICE)})),
        default_endpoint="local",
        enter_sends=False,
        max_attempts=3,
        appearance=Appearance(theme="dark", zoom=150),
        recent_projects=("/a b", '/c"d', "/ü"),
        memory_words=(OwnWords(project="/a b", changes=("repariere",)), OwnWords(project="/ü", asks=("warum",))),
    )
    save_settings(path, changed)
    assert load_settings(path) == changed
    save_settings(path, Settings())
    assert load_settings(path) == Settings()


def test_only_this_user_may_read_the_file(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    save_settings(path, Settings(max_attempts=3))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_comments_order_and_unknown_keys_stay(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text(
        "# my settings\nmax_attempts = 6 # enough\nfuture_key = [1, 2]\n\n"
        '[[endpoints]]\n# the local one\nid = "local"\nlabel = "Local" # here\nkind = "compatible"\n'
        'base_url = "http://127.0.0.1:11434"\nauth = "none"\nfuture = true\n\n[appearance]\nzoom = 110\nfont = "x"\n'
    )
    loaded = load_settings(path)
    assert (loaded.max_attempts, loaded.appearance.zoom, loaded.endpoints) == (6, 110, (LOCAL,))
    save_settings(path, loaded.model_copy(update={"max_attempts": 8, "enter_sends": False, "lanes_root": "/l"}))
    text = path.read_text()
    for kept in (
        "# my settings",
        "# enough",
        "future_key = [1, 2]",
        "# the local one",
        "# here",
        "future = true",
        'font = "x"',
    ):
        assert kept in text
    assert "max_attempts = 8 # enough" in text
    again = load_settings(path)
    assert (again.max_attempts, again.enter_sends, again.lanes_root) == (8, False, "/l")


def test_saving_without_a_change_leaves_the_text_alone(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    text = '# a\nmax_attempts    =   6\n[[endpoints]]\nid="local"\nlabel="L"\nkind="compatible"\nbase_url="https://h.example"\n'
    path.write_text(text)
    save_settings(path, load_settings(path))
    assert path.read_text() == text


def test_an_endpoint_that_goes_takes_its_table_along(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    save_settings(path, Settings(endpoints=(ANTHROPIC_ENDPOINT, LOCAL), max_attempts=10))
    save_settings(path, Settings(endpoints=(LOCAL,), max_attempts=10, default_endpoint="local"))
    assert [endpoint.id for endpoint in load_settings(path).endpoints] == ["local"]
    save_settings(path, Settings(endpoints=()))
    assert load_settings(path).endpoints == ()


def test_inline_endpoints_are_replaced_by_tables(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text(
        'endpoints = [{id = "a", label = "A", kind = "compatible", base_url = "https://h.example"}]\nmax_attempts = 7\n'
    )
    loaded = load_settings(path)
    save_settings(path, loaded.model_copy(update={"endpoints": (*loaded.endpoints, LOCAL)}))
    assert [endpoint.id for endpoint in load_settings(path).endpoints] == ["a", "local"]


def test_a_broken_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text("max_attempts = 5\nzoom = = 3\n")
    with pytest.raises(SettingsError, match=r"settings\.toml is not valid TOML: .*line 2.*Correct or remove"):
        load_settings(path)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("# c\nmax_attempts = 0\n", r"line 2: max_attempts: "),
        ("[appearance]\nzoom = 900\n", r"line 2: appearance\.zoom: "),
        ('default_mode = "full-auto"\n', r"line 1: default_mode: "),
        ('[[endpoints]]\nid = "A B"\nlabel = "x"\nkind = "compatible"\n', r"line 2: endpoints\[0\]\.id: "),
        ('[[endpoints]]\nid = "demo"\nlabel = "x"\nkind = "demo"\n', r"line 1: endpoints: .*'demo' is taken"),
        ("max_attempts = true\nappearance = 3\n", r"appearance: "),
    ],
)
def test_a_wrong_value_is_named_with_its_line(tmp_path: Path, text: str, named: str) -> None:
    path = tmp_path / "settings.toml"
    path.write_text(text)
    with pytest.raises(SettingsError, match=named):
        load_settings(path)


def test_a_broken_file_is_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text("= nonsense")
    with pytest.raises(SettingsError, match="nothing was saved"):
        save_settings(path, Settings(max_attempts=5))
    assert path.read_text() == "= nonsense"


def test_bytes_that_are_not_utf8_are_told(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_bytes(b"a = '\xff'")
    with pytest.raises(SettingsError, match="is not UTF-8"):
        load_settings(path)


def test_a_folder_in_its_place_is_told(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="Could not read"):
        load_settings(tmp_path)


def test_a_linked_settings_file_stays_a_link(tmp_path: Path) -> None:
    real, link = tmp_path / "dotfiles.toml", tmp_path / "settings.toml"
    real.write_text("max_attempts = 5\n")
    link.symlink_to(real)
    save_settings(link, Settings(max_attempts=6))
    assert link.is_symlink()
    assert real.read_text() == "max_attempts = 6\n"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(SettingsError, match="Could not save"):
        save_settings(tmp_path / "settings.toml", Settings(max_attempts=6))


SHOP = DatabaseConnection(
    name="shop", dialect="sqlite", path="app.db", production=True, enabled_projects=("/src/shop",)
)
LIVE = DatabaseConnection(name="live", dialect="postgres", host="db", database="d", user="u", time_limit_s=60)


def test_databases_are_kept_by_name_with_their_comments(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    save_settings(path, Settings(databases=(SHOP, LIVE)))
    text = path.read_text()
    assert "read_only" not in text
    assert load_settings(path).databases == (SHOP, LIVE)
    path.write_text(text.replace('name = "shop"', 'name = "shop" # the sample'))
    save_settings(path, Settings(databases=(LIVE, SHOP.model_copy(update={"enabled_projects": ()}))))
    assert "# the sample" in path.read_text()
    assert [one.name for one in load_settings(path).databases] == ["live", "shop"]
    save_settings(path, Settings())
    assert load_settings(path).databases == ()


def test_a_wrong_database_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text('[[databases]]\nname = "Shop"\ndialect = "sqlite"\npath = "a.db"\nsome_day = 1\n')
    with pytest.raises(SettingsError, match=r"line 2: databases\[0\]\.name"):
        load_settings(path)


def test_two_databases_cannot_have_one_name() -> None:
    with pytest.raises(ValueError, match="name of its own"):
        Settings(databases=(SHOP, SHOP))
    assert Settings(databases=(SHOP, LIVE)).database("live") == LIVE
    assert Settings().database("live") is None


@pytest.mark.parametrize(
    ("text", "limits", "said"),
    [
        ("[limits]\nsteps = 25\ntokens = 50000\n", Limits(steps=25, tokens=50_000), ()),
        ("[limits]\nsteps = 0\n", Limits(), ("limits.steps = 0 in the settings cannot be used, so the default 100",)),
        ('[limits]\nsteps = "abc"\nrunning_s = 59\n', Limits(), ("limits.steps = 'abc'", "limits.running_s = 59")),
        (
            "[limits]\nsteps = true\ncost_microusd = -1\n",
            Limits(),
            ("limits.steps = True", "limits.cost_microusd = -1"),
        ),
        ("[limits]\nday_microusd = 9999\nfuture = 1\n", Limits(), ("there is no such limit",)),
        ("limits = 3\n", Limits(), ("limits = 3 in the settings is no table",)),
        ("", Limits(), ()),
    ],
)
def test_limits_that_cannot_be_used_are_left_out_and_told(
    tmp_path: Path, text: str, limits: Limits, said: tuple[str, ...]
) -> None:
    path = tmp_path / "settings.toml"
    path.write_text(text)
    assert load_settings(path).limits == limits
    problems = limit_problems(path)
    assert len(problems) == len(said)
    assert all(words in problem for words, problem in zip(said, problems, strict=True))
    save_settings(path, load_settings(path).model_copy(update={"limits": Limits(steps=50)}))
    assert (load_settings(path).limits, limit_problems(path)) == (Limits(steps=50), ())


def test_a_file_that_is_not_there_has_no_problems(tmp_path: Path) -> None:
    assert limit_problems(tmp_path / "none.toml") == ()


def test_limits_too_small_for_a_turn_are_refused() -> None:
    with pytest.raises(ValidationError, match="tokens is at least 10,000"):
        Settings(limits=Limits(tokens=9_999))
    assert limits_problem(Limits(running_s=60, chat_microusd=10_000)) == ""


def test_the_folder_of_lanes_is_read_by_itself(tmp_path):
    path = tmp_path / "settings.toml"
    assert load_lanes_root(path) == ""
    path.write_text(f'lanes_root = "{tmp_path}"\nmax_attempts = 99\n')
    assert load_lanes_root(path) == str(tmp_path)
    path.write_text('lanes_root = "lanes"\n')
    with pytest.raises(SettingsError, match=r"line 1: lanes_root: .*whole path"):
        load_lanes_root(path)
    path.write_text("lanes_root =\n")
    with pytest.raises(SettingsError, match="is not valid TOML"):
        load_lanes_root(path)


def test_a_model_has_one_price() -> None:
    with pytest.raises(ValidationError, match="each model has one price"):
        Endpoint.model_validate({**LOCAL.model_dump(), "prices": (PRICE, PRICE)})


@pytest.mark.parametrize(
    ("named", "desktop", "code"),
    [
        (None, ["fr-FR", "de-AT", "en-GB"], "de"),
        (None, ["de_DE"], "de"),
        (None, ["C"], "en"),
        (None, [], "en"),
        ("system", ["de"], "de"),
        ("en", ["de"], "en"),
        ("de", ["en"], "de"),
        ("xx", ["de"], "en"),
    ],
)
def test_the_language_is_the_one_named_or_the_desktops(
    named: str | None, desktop: list[str], code: str, tmp_path: Path
) -> None:
    path = tmp_path / "settings.toml"
    if named is not None:
        path.write_text(f'[appearance]\nlanguage = "{named}"\n')
    assert load_language(path, desktop) == code


@pytest.mark.parametrize("text", ["appearance = [", "appearance = 3"])
def test_a_file_that_cannot_be_read_means_english(text: str, tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text(text)
    assert load_language(path, ["de"]) == "en"
