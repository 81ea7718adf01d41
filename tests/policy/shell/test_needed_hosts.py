"""The hosts that a command needs by its own words."""

import pytest

from desktop.policy.shell.assess import assess_shell
from desktop.policy.shell.read.needed_hosts import needed_hosts
from desktop.policy.shell.read.world import TextWorld


@pytest.mark.parametrize(
    ("command", "hosts"),
    [
        ("curl https://example.org", "example.org"),
        ("curl -fsSL https://Example.org/a/b?c=d -o x", "example.org"),
        ("curl http://example.org/x", "example.org:80"),
        ("curl http://example.org:8080/x", "example.org:8080"),
        ("curl https://user@example.org/x", "example.org"),
        ("curl 'https://example.org' 'https://example.org/b' https://a.example.org", "example.org a.example.org"),
        ("x=$(curl https://example.org/v); echo $x", "example.org"),
        ("for i in 1 2; do curl https://example.org/$i; done", "example.org"),
        ("npm install left-pad", "registry.npmjs.org"),
        ("cd web && npm ci", "registry.npmjs.org"),
        ("CI=1 pnpm add x", "registry.npmjs.org"),
        ("python3 -m pip install -r requirements.txt", "pypi.org files.pythonhosted.org"),
        ("uv run pip install x", "pypi.org files.pythonhosted.org"),
        ("go mod download", "proxy.golang.org sum.golang.org"),
        ("npm test", ""),
        ("ls", ""),
        ("", ""),
        ("npm", ""),
        ("curl example.org", ""),
        ("curl https://10.0.0.1/x", ""),
        ("curl https://[::1]/x", ""),
        ("curl https://a.example https://b.example https://c.example https://d.example", ""),
        ("curl https://ok.example http://127.0.0.1:3000", ""),
        ("curl http://localhost:3000/health", ""),
        ("curl http://LOCALHOST./x", ""),
        ("curl https://shop.localhost:8443", ""),
        ("npm ci && curl http://localhost:3000", ""),
        ("git clone git@github.com:a/b", ""),
        ("curl https://evil..example", ""),
        ("curl https://.example.org/", ""),
        ("curl https://example.org # https://.co.uk/", ""),
    ],
)
def test_hosts_are_those_that_the_words_name(command: str, hosts: str) -> None:
    assert needed_hosts(command, assess_shell(command, TextWorld())) == tuple(hosts.split())
