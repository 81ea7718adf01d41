"""Options and words that a rule leaves open and that would run other code, or reach another server, than it allowed."""

import pytest

from desktop.policy.shell.assess import assess_shell
from desktop.policy.shell.read.world import TextWorld
from desktop.policy.shell.words.cover import uncovered_reason

WORLD = TextWorld()

UNCOVERED = r"""
mypy | mypy --python-exec=./evil src
mypy | mypy --python-ex ./evil src
mypy | mypy --pyt ./evil src
mypy | mypy @args.txt
mypy | mypy --install-t src
npm run test | npm run test -w packages/evil
npm run test | npm run test --workspace=packages/evil
npm run test | npm run test --works packages/evil
npm run test | npm run test --workspaces
npm test | npm test -ws
npm test | npm test -w pkg
npm test | npm test --include-workspace-root -s
pnpm test | pnpm test --filter=web
pnpm test | pnpm test -r
pnpm test | pnpm test -F web
bun test | bun test --filter x
openssl x509 | openssl x509 -engine ./evil.so
openssl x509 | openssl x509 --engine ./evil.so
openssl x509 | openssl x509 -in a.pem.txt -provider-path . -provider evil
openssl dgst | openssl dgst -sha256 -engine_impl ./evil.so
openssl req | openssl req -config evil.cnf
clang-tidy | clang-tidy -load=./evil.so a.c
clang-tidy | clang-tidy --load ./evil.so a.c
clang-tidy | clang-tidy --extra-arg=-fplugin=./evil.so a.c
clang-tidy-15 | clang-tidy-15 -load ./evil.so a.c
gcc | gcc -Wl,-plugin,./evil.so a.c
gcc | gcc -Xlinker -plugin=./evil.so a.c
nm | nm --plugin ./evil.so a.o
ar | ar --plugin=./evil.so t a.a
protoc | protoc --plugin=protoc-gen-x=./evil a.proto
pandoc | pandoc --filter ./evil a.md
pandoc | pandoc -s -F ./evil a.md
pandoc | pandoc --lua-f=./evil.lua a.md
pdflatex | pdflatex -shell-escape a.tex
pdflatex | pdflatex --shell-escape a.tex
rubocop | rubocop -r ./evil.rb
pylint | pylint --init-hook='import os' src
pylint | pylint --load-pl=evil src
pre-commit run | pre-commit run -c evil.yaml
pre-commit run | pre-commit run -ac evil.yaml
pre-commit run | pre-commit run --conf=evil.yaml
rsync -a | rsync -a src host::mod
rsync -a | rsync -a src host:path
rsync -a | rsync -a src backup:/srv
rsync -a | rsync -a rsync://host/mod .
rsync -a | rsync -a src me@host:x
rsync -a | rsync -a '[::1]:x' .
rsync -a | rsync -a --files-from=host:list . build
git remote -v | git remote -v update
git remote -v | git remote -v add x y
git remote --verbose | git remote --verbose set-url origin x
git submodule --quiet | git submodule --quiet update --init
git config --local | git config --local core.pager x
git branch | git branch -M main
git branch | git branch -f main HEAD~5
git branch | git branch -D main
git branch | git branch -vf main HEAD~5
git tag | git tag -d v1
git tag | git tag -f v1
git checkout | git checkout -f main
git checkout | git checkout -B main HEAD~5
git switch | git switch -C main HEAD~5
git switch -c | git switch -c x -C main
git switch | git switch --force-c main
git worktree remove | git worktree remove -f x
git log | git log --show-sig
git archive | git archive --remote=host HEAD
kubectl get | kubectl get -s http://127.0.0.1 pods
kubectl get | kubectl get --server=http://127.0.0.1 pods
kubectl get | kubectl get -k dir
kubectl get | kubectl get --kuberc x pods
kubectl get | kubectl get --context prod pods
kubectl get | kubectl get --raw /api
aws s3 ls | aws s3 ls --endpoint-url http://127.0.0.1
aws s3 ls | aws s3 ls --endp http://127.0.0.1
aws s3 ls | aws s3 ls --profile other
systemctl status | systemctl status -H other ssh
systemctl status | systemctl status --host=other ssh
systemctl status | systemctl status -lM box
journalctl | journalctl --vacuum-size=1M
journalctl | journalctl --rotate
journalctl -u | journalctl -u x -D build
deno test | deno test -A
deno test | deno test --allow-all
deno test | deno test --allow-run=x
helm template | helm template --post-renderer ./evil x
ansible-playbook | ansible-playbook -i ./evil site.yml
terraform plan | terraform plan -chdir=x
tar xf a.tar | tar xf a.tar --transform=s/a/b/
tar xf a.tar | tar xf a.tar --xf=s/a/b/
ssh-keygen | ssh-keygen -D ./evil.so
gpg | gpg --agent-program=./evil -k
anything | anything --exec-cmd x
anything | anything --execut x
anything | anything --eval=x
anything | anything --pager=./x
anything | anything --kubeconfig x
""".strip().splitlines()

COVERED = r"""
mypy | mypy --strict -p pkg src
mypy | mypy --pretty --platform linux src
npm run test | npm run test -- --watch=false
npm run test | npm run test -- -w 4
npm run test | npm run test --silent
npm install | npm install --include=dev
openssl x509 | openssl x509 -in a.crt -noout -text
clang-tidy | clang-tidy -p build --checks=-all,x src/a.c
gcc | gcc -Wall -Wl,-rpath,build -o a a.c
nm | nm -D a.o
pre-commit run | pre-commit run --all-files
rsync -a | rsync -a src/ build/
git remote -v | git remote -v
git config --get | git config --get user.name
git config --get | git config --get branch.x.description
git push -u | git push -u origin main
git branch | git branch -a -v
git switch -c | git switch -c feat/x
git switch -c | git switch -c feat/x main
git checkout -b | git checkout -b feat/x
git tag -a | git tag -a v1 -m x
kubectl get | kubectl get pods -n web -o yaml
aws s3 ls | aws s3 ls --recursive --region eu-west-1
systemctl status | systemctl status ssh --no-pager -l
journalctl -u | journalctl -u app -n 50 --no-pager --since today
deno test | deno test --filter x --coverage
tar xf a.tar | tar xf a.tar -C build --strip-components=1
anything | anything --page 2 --script x --run y --load z --ex
gh pr list | gh pr list --limit 5 --page 2
pandoc | pandoc -s -o a.html a.md
pylint | pylint --disable=all src
eslint | eslint --plugin react src
""".strip().splitlines()


def fault(case: str) -> str:
    rule, line = case.split(" | ")
    (command,) = assess_shell(line, WORLD).simple
    return "" if command.proven else uncovered_reason(tuple(rule.split()), command)


@pytest.mark.parametrize("case", UNCOVERED)
def test_a_rule_does_not_cover_other_code_or_another_server(case: str) -> None:
    assert fault(case)


@pytest.mark.parametrize("case", COVERED)
def test_a_rule_still_covers_ordinary_options(case: str) -> None:
    assert fault(case) == ""


@pytest.mark.parametrize(
    ("line", "hosts"),
    [
        ("rsync -a src backup:/srv", ("backup",)), ("rsync -a src me@Host.example::mod", ("host.example",)),
        ("rsync -a rsync://a.example/m .", ("a.example",)), ("/usr/bin/rsync '[::1]:x' .", ("::1",)),
        ("git show HEAD:a", ()), ("rsync -a src build/a:b", ()), ("make a:b", ()),
        ("for f in a; do rsync $f host:x; done", ("host",)),
    ],
)  # fmt: skip
def test_a_host_before_a_colon_is_a_host_where_a_program_copies_between_machines(line: str, hosts: tuple[str]) -> None:
    assert assess_shell(line, WORLD).hosts == hosts
