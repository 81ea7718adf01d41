"""Which prefixes may be saved (gate-R13) and which are proposed (gate-R15)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.policy.shell.words.propose import propose_tokens
from desktop.policy.shell.words.rule_tokens import inner_tokens, program_names, token_problem

REFUSED = """
bash; /bin/bash x; bash x.sh; sh; zsh -c x; fish; eval x; exec x; source x; . x; command ls; builtin echo; env; env x
sudo apt; doas x; su x; pkexec x; xargs; xargs rm; nohup x; timeout 5 x; nice x; ionice x; time x; watch x; strace x
script x; stdbuf x; setsid x; busybox sh; ssh host; parallel x; chroot x; BASH x; bash.exe x; bash5 x
sed; sed -n; awk; gawk x; ed x; ex x; vi x; vim x; nvim x; emacs x; gdb x; lldb x; osascript x
rm; rm -r dist; dd if=x; mkfs x; mkfs.ext4 x; chmod +x; chown x; kill 1; curl x; wget x; nc x; ncat x; socat x
psql -c; mysql x; sqlite3 x; duckdb x; redis-cli x
git; npm; pnpm; yarn; bun; npx; uvx; pipx; docker; podman; kubectl; make; cargo; go; python; python3; python3.11; node
ruby; perl; php; java; gradle; mvn; uv; pip; deno; poetry
git push; git fetch; git pull; git remote; git config; git submodule; docker run; docker compose exec; go run
git -c; git -C; git -C x; git -c a=b; npm --prefix x; make -C x; make -j4; docker -H x; uv --directory x
docker exec app; docker run alpine; docker run -it alpine sh; docker exec app bash; kubectl exec pod
go run -exec x; deno run -A
coverage run; coverage run -m; coverage run --source x; npx dotenv; npx cross-env A=b; scp x
git submodule foreach; git bisect run; git filter-branch x; deno eval x
python -c; python -c x; python -; python -m; python -m timeit; python -m runpy x; python -m a+b; python ../x.py
python /x.py; python ~/x.py; node -e x; node --test; ruby -e x; perl -pe x; php -r x; java -cp x Main; java -jar
npx -p a b; npx bash; uv run; uv run bash; uv run python; uv run python -c x; uv run --with x pytest; npm exec
npm exec -- sh; poetry run; poetry run python; pipx run; bundle exec; uv run --frozen; yarn dlx; uv tool run
/usr/bin/make test; ../x; ~/x
""".replace("\n", ";").split(";")

ALLOWED = """
git status;npm test;npm run test;pytest;tsc --noEmit;python -m pytest;python3 manage.py test;python -m pip install
uv run pytest;uv run --frozen pytest;uv run python -m pytest;npx tsc;npx --yes jest;poetry run pytest;npm exec -- jest
make test;docker compose up;docker exec app pytest;git --no-pager log
npm --prefix web test;make -j4 test
coverage run -m pytest;coverage run x.py;pnpm --filter web test;make -C sub test;docker compose run app pytest
cargo test;ls;./scripts/test.sh;./gradlew test;java -jar build/x.jar
java Main.java;git push origin;git stash;node x.js;go test;go run ./cmd/x;ruff check;mkdir;just build;uv tool run ruff
""".replace("\n", ";").split(";")


@pytest.mark.promise("gate-R13")
@pytest.mark.parametrize("line", [line for line in REFUSED if line.split()])
def test_a_prefix_that_would_allow_anything_is_refused_in_a_sentence(line):
    assert token_problem(tuple(line.split())).endswith(".")


@pytest.mark.parametrize("line", [line for line in ALLOWED if line])
def test_a_narrow_prefix_may_be_saved(line):
    assert token_problem(tuple(line.split())) == ""


@pytest.mark.parametrize("tokens", [(), ("",), ("npm", ""), ("x",) * 13, ("npm", "te\nst"), ("npm", "te\u200bst")])
def test_tokens_are_one_to_twelve_visible_words(tokens):
    assert token_problem(tokens)


PROPOSED = {
    "npm run build -- x": "npm run build",
    "git stash list": "git stash list",
    "git push origin main": "git push origin",
    "git log --output=x": "git log",
    "pytest -q tests": "pytest",
    "npm test": "npm test",
    "make test -j4": "make test",
    "cargo test --lib": "cargo test",
    "uv run pytest -q": "uv run pytest",
    "uv run --frozen ruff check .": "uv run --frozen ruff check",
    "python -m pytest -q": "python -m pytest",
    "python3 scripts/x.py a": "python3 scripts/x.py",
    "docker compose up -d": "docker compose up",
    "docker compose run app pytest -q": "docker compose run app pytest",
    "npx --yes jest -t a": "npx --yes jest",
    "./gradlew test x": "./gradlew test",
    "go run ./cmd/x a": "go run ./cmd/x",
    "ruff check .": "ruff check",
    "mkdir -p a/b": "mkdir",
    "kubectl exec pod -- ls -l": "kubectl exec pod -- ls",
}


@pytest.mark.promise("gate-R15")
@pytest.mark.parametrize(("line", "proposed"), PROPOSED.items())
def test_the_proposal_is_the_program_and_its_sub_commands(line, proposed):
    assert " ".join(propose_tokens(line.split())) == proposed


@pytest.mark.parametrize(
    "line",
    [
        "",
        "git push",
        "git -C x status",
        "rm -r x",
        "bash x",
        "python -c x",
        "npx",
        "node",
        "docker run -it x",
        "docker compose run app sh",
        "docker exec app",
        "uv run " * 7 + "x",
    ],
)
def test_where_no_prefix_may_be_saved_none_is_proposed(line):
    assert propose_tokens(line.split()) == ()


WORDS = ("git", "npm", "run", "python", "-m", "pytest", "uv", "npx", "push", "x.py", "-c", "bash", "test", "a/b", "--q")


@given(st.lists(st.sampled_from(WORDS)))
def test_a_proposal_is_a_prefix_of_the_command_and_may_be_saved(argv):
    proposed = propose_tokens(argv)
    assert tuple(argv[: len(proposed)]) == proposed
    assert not proposed or token_problem(proposed) == ""


def test_programs_are_known_by_path_version_and_variant():
    assert program_names("/usr/bin/python3.11") == ("python3.11", "python")
    assert "make" in program_names("gmake")
    assert program_names("7")[0] == "7"


def test_the_words_behind_a_launcher_are_told():
    assert inner_tokens(("uv", "run", "--frozen", "pytest", "-q")) == ("pytest", "-q")
    assert inner_tokens(("python", "-m", "pytest", "-q")) == ("pytest", "-q")
    assert inner_tokens(("npx", "-p", "a")) == ()
    assert inner_tokens(("npm", "test")) is None
