"""What an allow rule covers: the words of the rule, then anything that does not break out (gate-R12)."""

import shlex
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.policy.shell.verdict import ShellWord, SimpleCommand
from desktop.policy.shell.words.cover import begins_with, covers, uncovered_reason
from desktop.policy.shell.words.dangerous_options import dangerous_option, option_rows
from desktop.policy.shell.words.dangerous_rows import ROWS


def command(line, **changes):
    """The simple command of a plain line, its paths judged by their text alone."""
    words = tuple(
        ShellWord(text=word, outside=word.startswith(("/", "~")) or ".." in word.split("/"))
        for word in shlex.split(line)
    )
    return SimpleCommand(words=words, **changes)


def covered(rule, line):
    return covers(tuple(rule.split()), command(line))


COVERED = """
git status | git status -sb
git log | git log --oneline -5 --stat
git commit | git commit -am 'fix: c x p'
git commit | git commit -m x --amend
git add | git add src/x.py
git switch | git switch main
git checkout | git checkout -b feat/x
git diff | git diff --text HEAD~1
pytest | pytest -q tests/
pytest | pytest -rap -k 'a or b' --co
pytest | pytest -xvs --maxfail=1 --cov=src --cov-report=term tests/a.py::t
python -m pytest | python -m pytest -m 'not slow' -n4 -q
python -m pip install | python -m pip install -r requirements.txt
uv run pytest | uv run pytest -q -x
python scripts/x.py | python scripts/x.py --all
make test | make test -j4 -s
make test | make test --debug
npm run lint | npm run lint -- --fix-dry-run
npm test -- | npm test -- -g foo
npm test | npm test -s -- -g foo --config x.js
npm test | npm test -- -w 2
npm ci | npm ci --prefer-offline --silent
npm run build | npm run build -- --config vite.config.ts
pnpm test | pnpm test --reporter=dot
git switch -c | git switch -c feat/x
git switch | git switch -c feat/x
yarn test | yarn test --watch=false
bun test | bun test -t name
cargo test | cargo test --lib -- --nocapture --test-threads=1
cargo build | cargo build --release -p foo --features a,b --target x86
go test | go test ./... -run TestX -race -count=1 -v -mod=mod -coverprofile=c.out
tsc --noEmit | tsc --noEmit -p tsconfig.json
docker compose up | docker compose up -d --build
docker build | docker build -t app:1 -f Dockerfile .
mvn test | mvn test -q -Dtest=Foo -B -ntp -fae
gradle test | gradle test --info --tests=Foo -Pfoo=bar
./gradlew test | ./gradlew test --info
pip install | pip install -r requirements.txt --pre -U
ruff check | ruff check src --fix
npx jest | npx jest --coverage -t foo
eslint | eslint --ext .ts src
mkdir | mkdir -p a/b
tar | tar -czf a.tgz src
sort | sort -to -k2,2 a
rg | rg -tpy -A3 x
find src | find src -name x -type f
node a.js | node a.js --port=1
less | less -N a
git push origin | git push origin main
git push -u | git push -u origin main
git commit --no-verify | git commit --no-verify -m x
docker exec app pytest | docker exec app pytest -q
gcc | gcc -O2 -o a.out a.c
""".strip().splitlines()

UNCOVERED = """
git status | git log
git status | /tmp/git status
git log | git log --output=x
git log | git log --output x
git log | git log --outp x
git log | git log --output-directory=x
git log | git log -p --ext-diff
git log | git log --ext
git log | git log -Oorder
git log | git log -qOorder
git log | git -c core.pager=x log
git status | git status --exec-p=x
git fetch origin | git fetch origin --upload-pack=x
git clone | git clone -u ./x y
git clone | git clone --config k=v y
git clone | git clone ext::./x y
git commit | git commit -nm x
git commit | git commit --no-verify
git rebase | git rebase -x 'make'
git rebase | git rebase --exe=x
git rebase | git rebase -mx make
git bisect | git bisect run ./x
git submodule update | git submodule update --init foreach
git | git status
pytest | pytest -c x
pytest | pytest -cx
pytest | pytest -p evil
pytest | pytest -p no:cacheprovider
pytest | pytest -pno:cacheprovider
pytest | pytest -vvp evil
pytest | pytest -xvso a=b
pytest | pytest --rootdir=sub
pytest | pytest --rootd sub
pytest | pytest --override-ini=a=b
pytest | pytest --import-mode=importlib
pytest | pytest @words
pytest | pytest -- -c x
python -m pytest | python -m pytest -c x
python -m pytest | python -m pytest -p x
python -m pytest | python -m pytestx
python -m pytest | python -m pip install x
python x.py | python x.py -c pass
uv run pytest | uv run --with evil pytest
uv run pytest | uv run pytest -p x
uv run python -m pytest | uv run python -m pytest -c x
uv sync | uv sync --index-url x
make test | make test CC=evil
make test | make test install
make test | make test -sf x
make test | make test -f x
make test | make test -C sub
make test | make test --eva=x
make test | make test -
make test | make -j4 test
ninja | ninja clean
just build | just build x
just build | just build --set a b
task x | task x -t y
rake test | rake test other
gradle test | gradle test other
gradle test | gradle test -Dx=y
./gradlew test | ./gradlew test other
mvn test | mvn test -Djvm=./x
mvn test | mvn test -fx.xml
mvn test | mvn test --settings x
npm test | npm test --prefix x
npm test | npm test --prefi=x
npm test | npm --prefix x test
npm test | npm test -prefix=x
npm test | npm test --script-s x
npm test | npm test --script_shell x
npm test | npm test -- --prefix x
npm test | npm test --C x
npm test | npm test -sC x
npm test | npm test --config.script-shell=x
npm install | npm install -g x
npm run build | npm run build:prod
npm run build | npm run build -- --outDir ../../x
npm run build | npm run build -- --outDir=../x
yarn test | yarn test --cwd sub
bun test | bun test --preload ./x.ts
pip install | pip install --index-u x y
pip install | pip install -ix y
pip install | pip install -e .
cargo test | cargo +nightly test
cargo test | cargo test --config x=y
cargo test | cargo test -Zunstable
cargo test | cargo test -qZ x
cargo test | cargo test --target-dir=x
go test | go test -exec=./x
go test | go test --exec ./x ./...
go test | go test -exec ./x ./...
go test | go test -toolexec x
go build | go build -o x
go vet | go vet -vettool=./x
find src | find src -delete
find src | find src -exec x
find src | find src -fprintf x y
find src | find src -fprint0 x
fd | fd -Hx x
fd | fd --exec-b x
rg | rg --pre x y
rg | rg -nz y
rg | rg -f pats y
grep | grep -ifpats y
sort | sort -uo x y
sort | sort --compress-prog=x y
tar | tar cIf evil x y
tar | tar xf x -I y
tar | tar --use-c=x
tar | tar --checkpoint-action=exec=x
zip | zip -TT x
zip | zip -rT a b
rsync | rsync -ave ssh a b
rsync | rsync --rsync-path=x a b
man | man -P x ls
less | less +!x f
less | less --LOG-FILE=x f
node a.js | node a.js -r x
node a.js | node a.js --impo x
node a.js | node a.js --experimental_loader x
cmake | cmake -P x
docker compose up | docker compose -f x up
docker run alpine ls | docker run alpine ls --privileged
docker run alpine ls | docker run alpine ls -v x:y
docker exec app pytest | docker exec app pytest -p evil
pytest -p | pytest -p evil
git rebase --exec | git rebase --exec evil
git push origin | git push origin :main
git push origin | git push origin +main
git push origin | git push -uf origin
tox | tox -x testenv.commands=x
gcc | gcc -wrapper x,y a.c
g++ | g++ -fplugin=x a.c
clang-15 | clang-15 @words
rustc | rustc -Clinker=x a.rs
bazel test | bazel test --run_under=x
git -c | git -c core.pager=x log
tsc | tsc -o/tmp/x
tsc | tsc -o../x
tsc | tsc X=/tmp
anything | anything --exec x
mypy | mypy --python-executable=./x
awk | awk x
git push origin | git push origin --mir
git push origin | git push origin --force-w
git push origin | git push origin --delet x
git reset | git reset --har
sed -n | sed -n 1p
""".strip().splitlines()


@pytest.mark.parametrize("case", COVERED)
def test_words_after_the_rule_are_free(case):
    rule, line = case.split(" | ")
    assert uncovered_reason(tuple(rule.split()), command(line)) == ""
    assert covered(rule, line)


@pytest.mark.promise("gate-R12")
@pytest.mark.parametrize("case", UNCOVERED)
def test_words_that_break_out_are_not_covered(case):
    rule, line = case.split(" | ")
    assert not covered(rule, line)


def test_a_redirection_is_not_covered_and_is_named():
    bare = command("npm test", coverable=False)
    assert uncovered_reason(("npm", "test"), bare) == "A redirection stands with it, which no rule covers."
    named = command("npm test", coverable=False, redirect=">out.txt")
    assert uncovered_reason(("npm", "test"), named) == ">out.txt stands with it, which no rule covers."


def test_a_reason_names_the_word():
    assert uncovered_reason(("npm", "test"), command("npm tests")) == "It does not begin with the words of the rule."
    assert "alone would allow too much" in uncovered_reason(("git",), command("git log"))
    assert uncovered_reason(("make", "test"), command("make test CC=x")).startswith("CC=x names another target")
    assert uncovered_reason(("git", "log"), command("git log --output=x")).startswith("--output can make it run")
    assert "outside the lane" in uncovered_reason(("cat",), command("cat ../x"))


def test_no_tokens_cover_nothing():
    assert not begins_with((), command("ls"))
    assert not covers((), command("ls"))


WORDS = st.sampled_from(["git", "npm", "test", "-c", "--exec", "a", "x=1", "../x", "-q", "--", "run", "*", "status"])


@given(st.lists(WORDS, min_size=1, max_size=3), st.lists(WORDS, min_size=1, max_size=6))
def test_what_is_covered_begins_with_the_tokens(tokens, words):
    one = SimpleCommand(words=tuple(ShellWord(text=word) for word in words))
    if covers(tokens, one):
        assert tuple(words[: len(tokens)]) == tuple(tokens)


@given(st.lists(WORDS, min_size=1, max_size=5), st.data())
def test_a_word_that_bash_would_change_or_that_leads_out_is_never_covered(more, data):
    words = [ShellWord(text=word) for word in ("npm", "test", *more)]
    index = data.draw(st.integers(0, len(words) - 1))
    mark = data.draw(st.sampled_from(["special", "outside"]))
    words[index] = replace(words[index], **{mark: True})
    assert not covers(("npm", "test"), SimpleCommand(words=tuple(words)))


SPELLINGS = [
    (program, option)
    for program, row in ROWS.items()
    for option in (*(f"-{letter}" for letter in row.short), *row.long, *row.single)
]


@pytest.mark.promise("gate-R12")
@pytest.mark.parametrize(("program", "option"), SPELLINGS, ids=[" ".join(pair) for pair in SPELLINGS])
def test_every_spelling_of_a_dangerous_option_is_found(program, option):
    rows = option_rows((program, "x"))
    plain = option.replace("*", "")
    spellings = [plain, f"{plain}=v"]
    spellings += [f"{plain}more"] if option.endswith("*") or option[1:] in tuple(rows[0].short) else []
    if plain.startswith("--") and not plain.endswith(".") and not rows[0].exact:
        spellings += [plain[:-1], f"{plain[:-1]}=v", plain.replace("-", "_").replace("__", "--", 1)]
    assert [word for word in spellings if not dangerous_option(rows, word)] == []
