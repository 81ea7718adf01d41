"""Which lines are proven to read only, and why others are not. No disk: every name below the root is a file."""

import pytest

from desktop.policy.shell.assess import assess_shell
from desktop.policy.shell.read.world import TextWorld

WORLD = TextWorld()

PROVEN = r"""
ls
ls -la src
ls -1 src/*.ts
ls --color=auto --sort time -I '*.o' -w 80
ls -R -- -x
ls *
pwd -P
true && false || true
id -un
uname -a
hostname -s
date
date -u +%F
date -d 'next friday' -Iseconds | cat
date -d -1day
date --iso-8601=seconds
echo -e "a\tb" *.md "(c)" \$x
printf '%s\n' a b
printf '100%%\n'
printf
basename -a x/y z/w -s .py
dirname a/b
seq 10 -1 1
seq -w -s , 1 3
expr 2 '*' 3
sleep 0.5
sleep 2s
which -a python3
type -t ls
command -v git node
test -f package.json
test ! -d build
test a = b
[ -n "x y" ] && echo yes
[ a != b ]
[ a == b ]
cat -n a.py b.py - | tac
nl -b a x | rev
less -N README.md
more README.md
head -20 a
tail -n +5 a.log
tail -c -20 a
wc -l *
cut -d , -f 2 a.csv
cut -d- -f1 a
paste -s -d , a
tr -d '\r' < a.txt
tr a-z A-Z
column -t -s , a
fold -w 80 a
expand -t 4 a
unexpand a
comm -12 a b
sort -t , -k2,2n -u a.txt
join -t , -1 2 -2 1 a b
base64 -d a.b64
base64 -w0 a
uniq -c a
uniq -f 1 a
diff -u a b
diff -U3 a b
diff -r src lib
cmp -s a b
file -b --mime-type a
stat -c '%s %n' a
du -sh * | sort -h
du --max-depth=1 src
df -h
realpath --relative-to src src/a.py
readlink -f a
sha256sum a b
cksum a
od -A x -t x1 a
hexdump -C -n 64 a
xxd -l 16 a
xxd -ps -l 16 a
iconv -f latin1 --to-code UTF-8//TRANSLIT//IGNORE a
xxd -u -c8 a
strings -n 8 a
grep -rn foo src
grep -rn --include=*.py foo .
grep -e -foo -A 3 a
grep -c '' a
egrep 'a|b' a
rg -n -g '*.py' TODO src
rg --files -g '*.py'
rg --type-list
rg --color never x
find . -name '*.py' -newer setup.py -print
find src tests ! -path '*/x/*' \( -name a -o -name b \) -printf '%p\n'
find src/* -name x
find -P . -maxdepth 2 -type f -size +10k -ls
fd -e py foo src
tree -L 2 -I 'node_modules|.git'
tree -L2
sed -n 5p a
sed -n '5,$p' a b
sed -n '$p'
sed -n p a
sed -n 5d a
sed 5p a
awk '{print}' a
jq '.a | keys' a.json
jq -r --arg x 1 '.[$x]' a.json b.json
jq -n '{environment: 1}'
jq -n --indent 7 --argjson a -1 --slurpfile b b.json --rawfile c c.txt '$a' --args x y
python3 --version
python -V
go version
cargo --version; rustc --version
git --version
git status -sb --porcelain=v2 -uno
git --no-pager log --oneline -20 -- src
git -C src log -n 3 --format='%h %s' main..topic
git log -S foo --since '2 weeks ago' --author=me
git diff HEAD~1 HEAD -- a.py
git diff -U5 -M90% HEAD
git branch --merged
git branch -a --no-merged main
git branch --merged=main --list 'x*'
git log -L:main:src/a.py
git log -L1,2::a.py
git diff --stat main...topic
git show HEAD:src/a.py
git show 'stash@{0}'
git blame -L 10,20 a.py
git grep -n foo -- src
git ls-files -o --exclude-standard
git ls-tree -r HEAD
git rev-parse --abbrev-ref HEAD
git rev-list --count HEAD
git describe --tags --always
git branch -a --list 'x*'
git branch --show-current
git branch -vv
git tag
git tag -l 'v1*' -n3
git remote
git remote -v
git remote get-url origin
git stash list
git stash show -p 'stash@{0}'
git reflog -n 5
git reflog show main
git shortlog -sne HEAD
git cat-file -p HEAD:src/a.py
git merge-base main topic
git for-each-ref --format '%(refname)' --sort=-committerdate refs/heads
git check-ignore -v a
git worktree list
git version
cd src && ls ..
cd src; cat ../README.md
cd src && cd .. && cat README.md
cd src/../lib && ls
ls missing 2>/dev/null
ls >/dev/null 2>&1
ls &> /dev/null
ls 1>&2
echo x >&2
cat < a.txt
< a.txt cat
ls # comment ; rm x
ls; ls
"ls" -l
l's' a
cat a\ b
cat 'a b' "c d"
find . -name a | head | wc -l
""".strip().splitlines()

NOT_PROVEN = r"""
program     rm x
program     ./ls
program     bin/ls
program     /bin/ls
program     'l s'
program     ""
program     l*
program     xargs ls
program     env ls
program     timeout 5 ls
program     command ls
program     command -p ls
program     command
program     command -v -x
program     git
program     git push
program     git stash
program     git stash pop
program     git reflog expire
program     git worktree add x
program     git remote add x y
program     git diff*
option      ls --hyperlink
option      ls -J
option      ls --all=1
option      ls --sort
option      ls --recurs
option      ls -w x
option      cat --show-all
option      head -n
option      head -n -x
option      tail -f a
option      tail -5f a
option      sort -o a b
option      sort a -o b
option      sort -uo a b
option      sort -T x a
option      sort --compress-program=x a
option      sort -t --output=x
option      uniq a -c
option      xxd -r a
option      xxd a -p
option      xxd -seek 1
option      tree -o x
option      tree -Io a out.txt
option      tree -afo x
option      find . -delete
option      find . -exec x
option      find . -name
option      find . -fprintf x y
option      find . -newermt x
option      find -L .
option      find -H .
option      find -f x
option      rg --pre x y
option      rg -z x
option      rg -L x
option      grep -f x y
option      diff -l a b
option      diff --to-file=a b
option      date -s x
option      date -f x
option      file -C -m x
option      file -f x
option      du -L x
option      hostname -F x
option      jq -f x
option      jq --arg x
option      jq -L . .
option      which --read-alias
option      less -o x a
option      strings -T x a
option      od -w a
program     python3 -c 1
option      git -c a.b=c status
option      git --exec-path=x status
option      git --git-dir=x status
option      ls -T -w 5 a
option      ls -D -w 5 a
option      stat -f -c a
option      xxd -uc 5 a
option      iconv -f /etc/passwd a
option      iconv -t ./a a
option      iconv --from-code=../x a
option      xxd -pl 5 a
option      stat -t -c a
option      git branch --merged --list new
option      git branch --column=always
option      git tag --column -l
option      git status --column
operand     git branch --merged main new
option      git -C
option      git log --output=x
option      git log -O x
option      git diff --ext-diff
option      git diff -U --output=x
option      git grep -O x y
option      git diff --textconv
option      git log --format=%G?
option      git log --pretty=format:%GG
option      git for-each-ref --format='%(signature)'
option      git ls-files -X x
option      git blame --contents x a
option      git cat-file --textconv HEAD:a
option      git show --show-signature
option      printf -v PATH x
option      printf '%n' PATH
option      printf '%5n' PATH
option      printf '%*%%n' 1 PATH
operand     whoami x
operand     pwd x
operand     hostname evil
operand     date 01010000
option      uniq a b
operand     sleep 5 6
operand     sleep -1
operand     sleep infinity
operand     sed -n '5w x' a
option      sed -i 5p a
operand     sed
operand     test a -a b
operand     test x
unmodelled  [
operand     "[" a
option      sed -n 5p -i
glob        find . -name x -newer src/*
glob        find . -name x src/*
option      date -s
operand     test -v x
operand     test 1 -eq 1
operand     [ -t 1 ]
unmodelled  [ a
operand     less +x a
operand     more +x
operand     strings @x
operand     jq env
operand     jq -n '$ENV.X'
operand     jq 'import "a" as a; .'
operand     jq 'include "a"; .'
operand     jq input_filename a
operand     jq '"\(env)"'
operand     git branch new
operand     git branch -v new
operand     git tag v1
operand     git tag -n 5
operand     git stash list x
operand     git remote -v show
program     git reflog x
path        cat /etc/passwd
path        cat ../x
path        cat a/../../x
path        cat .env
path        ls .ssh
path        ls ""
path        head -5 server.pem
path        diff a /dev/stdin
path        find . -newer /etc/passwd
path        find .. -name x
path        realpath --relative-to / a
path        ls -I /etc
path        test -f /etc/passwd
path        [ -e ../x ]
path        grep -r x ..
path        rg x ../y
path        jq . /etc/x.json
path        git diff a /etc/passwd
path        git show HEAD:.env
path        git show HEAD:../x
path        git log -- ':(top).env'
path        git diff ':/etc/passwd'
path        git blame .env
path        git log -L1,5:../x
path        cd src && cat ../../x
path        false && cd src; cat ../x
path        cat .git/config
path        sed -n 1p .env
path        git -C src show .env
glob        cat *.json
glob        cat *
glob        head src/*
glob        grep x *.py
glob        grep x* a
glob        find . -name *.py
glob        find . -name x?
glob        sort *.txt
glob        uniq src/a*
glob        xxd x/[ab]
glob        base64 a*
option      printf src/*
glob        test -f src/*
glob        cat .e*
option      ls -w src/*
glob        git grep x*
glob        jq . *.json
operand     sed -n src/*
cd          cd
cd          cd -
cd          cd a b
cd          cd ..
cd          cd /
cd          cd ""
cd          cd .git
cd          cd .ssh
cd          cd sub/.git/hooks
cd          cd a*
cd          cd src | ls
cd          ls | cd src
cd          git -C .. status
cd          git -C -x status
folder      cd src || cat x
folder      cd src && ls || cat x
redirect    ls > x
redirect    ls >> x
redirect    ls 2> x
redirect    ls > /dev/nul*
redirect    ls > /dev/null/x
redirect    ls >& x
redirect    ls 3>&1
redirect    ls 3</dev/null
redirect    cat < /etc/passwd
redirect    cat < .env
redirect    cat < a*
redirect    ls &> x
redirect    ls 2>&3
redirect    > x
redirect    >/dev/null
unmodelled  ls & rm x
unmodelled  ls |& cat
unmodelled  ! ls
assignment  X=1 ls
unmodelled  X=1; npm test
unmodelled  X[0]=1 ls
unmodelled  X+=1 ls
unmodelled  X=1 >/dev/null
assignment  X==1 ls
assignment  X=1 cd src && cat a
unmodelled  a[0]=1 ls
unmodelled  (ls)
unmodelled  { ls; }
unmodelled  ls $x
unmodelled  ls "$x"
unmodelled  ls `x`
unmodelled  echo "`x`"
unmodelled  ls ~
unmodelled  ls a=~/x
unmodelled  ls a:~
unmodelled  ls <<< x
unmodelled  ls <(x)
unmodelled  ls >| x
unmodelled  ls &>> /dev/null
unmodelled  ls <> x
unmodelled  ls <&0
unmodelled  ls >&-
unmodelled  ls 'x
unmodelled  ls "x
unmodelled  ls \
unmodelled  ls $'x'
unmodelled  ls $"x"
unmodelled  ls ;; ls
unmodelled  ; ls
unmodelled  ls &&
unmodelled  | ls
unmodelled  f() { ls; }
unmodelled  time ls
unmodelled  coproc ls
unmodelled  ls >
unmodelled  case x in x) ls;; esac
option  tail +5f x.log
option  tail +f x.log
option  git log --format '%h %G?'
empty       # only a comment
""".strip().splitlines()


@pytest.mark.parametrize("line", PROVEN)
def test_a_line_that_only_reads_is_proven(line: str) -> None:
    verdict = assess_shell(line, WORLD)

    assert (verdict.code, verdict.reason, verdict.fragment) == ("proven_read", "", "")
    assert verdict.proven_read
    assert verdict.coverable
    assert all(command.proven and not command.reason for command in verdict.simple)


@pytest.mark.promise("gate-S7")
@pytest.mark.promise("gate-S8")
@pytest.mark.parametrize("row", NOT_PROVEN)
def test_a_line_that_might_do_more_is_not_proven(row: str) -> None:
    code, _, line = row.partition(" ")

    verdict = assess_shell(line.lstrip(" "), WORLD)

    assert not verdict.proven_read
    assert verdict.code == code
    assert verdict.reason
