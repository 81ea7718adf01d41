"""Which scripts of sed and programs of awk only print, and which could write, read or run more."""

import pytest

from desktop.policy.shell.assess import assess_shell
from desktop.policy.shell.read.programs import awk, sed
from desktop.policy.shell.read.programs.regex import plain_end, regex_end
from desktop.policy.shell.read.world import TextWorld
from tests.policy.shell.test_lane_with_files import KnownLane

SED_READS = r"""
1p
5,$p
$p
/a/,/b/p
/a/,+5p
/a/,~4p
10,20p;30,40p
1~2p
0,/x/p
/x/I,$p
$!d
1 ! G
10q
5q;d
q 3
/x/{p;q}
/x/{
{s/a/b/;p}
/a/{=;p}
s#^./##
s/.*\.//
s/a/b/2gpI
s/  */ /g; s/^ //
s|[[:space:]]*$||
s/\x1b\[[0-9;]*m//g
s/a\/b/c\/d/
/a\/b/p
\#a#p
\|a\|b|p
/^$/d
/[/]/p
s/[^/]*$//
s/[^/]*\/[^/]*$/X/
s/[^\/]*$/x/
n;d
H;$!d;x
""".strip().splitlines()
SED_READS.remove("/x/{")
SED_READS += ["/x/{\np\n}", "1p\n2p\n", ""]

SED_MORE = r"""
w x
1w x
p w
p;w x
{w x}
W x
r x
R x
e id
1e
e
s/a/b/w x
s/a/b/e
s/a/b/pw x
s/a/b/;;e
s/[/]w x/p/
s/[/]/w x/
s/[/]x/w x
s/[^/]*$/e/
s/[^/]*$/w x/
s/[^/]*$/
/[/p]/p
/[/ e]/p
s/[\]/w x/p
s/[]/]/x/
s,[^\],]*$,x,
s/[a[b]/w x/p]/
s/[[:alpha:]/x/
s/[
/[\
s/a\
s/a/b\
s/a
s/a/b
s/
s
s a b 
snanbn
\napn
\
/a
//,
1,
1,2,3p
1,2{p
p}
1{2{3{4{5p}}}}}
{{{{{p}}}}}
:a;ba
ba
ta
y/a/b/
a x
i\x
c x
F
l
v
z
D
M
#n
1p # x
s/a/b/gx
5,/x
""".strip().splitlines()
SED_MORE += ["s/a\nb/c/", "s/a/b\nc/", "s/a/\\\nw x/", "/a\n/p", "/a\\\n/p", "s/[a\nb]/c/", "p" * 2001]

AWK_READS = r"""
1
NF
NR==5
NR>=290 && NR<=320
NR>=875 && NR<=885 { print NR ": " $0 }
{print $1}
{print $NF; print}
/^def main/,/^def /
$3 > 5
$1 ~ /a[^\/]b/ || $2 !~ /x/
!/x/
!seen[$0]++
length($0) > 80
{print length}
{ if ($1 > 5) print $0; else print "-" }
BEGIN{FS=","} {s+=$1} END{print s/NR}
{sum+=$1} END {print sum, sum/NR, (sum)/2, a[1]/3, 4/2}
{printf "%d: %s\n", NR, $0}
{printf("%5.1f%%\n", $1)}
/a/{f=1} f; /b/{f=0}
{c[$1]++} END{for (k in c) print k, c[k]}
/^def/{flag=1} flag{print; if(++n>20) exit}
{print FILENAME":"FNR": "$0}
{print substr($0, 1, 20), toupper($2)}
{gsub(/[ \t]+$/,"b"); print}
{n=split($0, parts, "/"); print parts[n]}
{delete a[$1]; next}
{print (NR%2 ? "a" : "b")}
{if (x) /re/; print}
{x = $1; if (x > 2) print x} $2 > 3
""".strip().splitlines()
AWK_READS += ["{ print $1\n if ($2 > 3) next }", 'BEGIN { OFS = "\\t" }\n{ print $1,\n $2 }\n', "{print\n}\n$1 > 2"]

AWK_MORE = r"""
BEGIN{system("id")}
BEGIN{system ("id")}
{system}
{fflush}
{close("x")}
{print | "sh"}
{print |& "sh"}
"id" | getline
{getline x < "/etc/passwd"; print x}
{getline}
{print > "x"}
{print >> "x"}
{print $1 > "f"}
{print $1 >= "f"}
{print(1)(2) > "x"}
{print (1 > "x")}
{printf "x" > "y"}
{printf x}
{printf(x)}
{if (1) print 1 > "x"}
{print $1 > "f"; x}
{print ENVIRON["A"]}
{print PROCINFO["pid"]}
{print SYMTAB["x"]}
BEGIN{ARGV[1]="/etc/passwd";ARGC=2}
BEGIN{OFMT="%n"}
@load "x"
@include "x"
BEGIN{f="system"; @f("id")}
BEGIN{awk::system("id")}
function f(){system("id")}
func f(){}
{f(1)}
{while(1);}
{do x; while(1)}
{for(;;);}
{for(i=0;i<9;i++) print i}
{for (k in c}
{x=1 /[/]/ ; system("x")}
/a[/]{system("id")}/
/a[\]/{system("id")}/
{if (1) /"/ ; system("a") /"/}
{a++ /b/ }
{print length /2/ }
{$/x/}
{a /= 2}
{x /=/}
# x
{print 1} # x
{print \
'
`id`
{print 1 | x}
{print &x}
a|b
{print "a}
{print "a\
{print (1}
{print 1)}
{print a[1;2]}
/a
{print é}
1.2.3
1x
{next (1)}
{exit (1)}
{length (}
{tolower}
{strftime("%s")}
""".strip().splitlines()
AWK_MORE += ["{print\\\n1}", '{print $1,\n$2 > "x"}', '{print "a\nb"}', "{print (1\n)}", "", "  ", "1;" * 1001]


@pytest.mark.parametrize("script", SED_READS)
def test_a_script_of_sed_that_prints_is_read(script: str) -> None:
    assert sed.is_read(script)


@pytest.mark.parametrize("script", SED_MORE)
def test_a_script_of_sed_that_might_do_more_is_not_read(script: str) -> None:
    assert not sed.is_read(script)


@pytest.mark.parametrize("program", AWK_READS)
def test_a_program_of_awk_that_prints_is_read(program: str) -> None:
    assert awk.is_read(program)


@pytest.mark.parametrize("program", AWK_MORE)
def test_a_program_of_awk_that_might_do_more_is_not_read(program: str) -> None:
    assert not awk.is_read(program)


@pytest.mark.parametrize(
    "line",
    [
        "sed -n -e 1,5p -e 9p a b", "sed -nE '/a|b/p' a", "sed -r 's/(a)/\\1/' < a", "sed -ne1p -- a", "sed p",
        "ls | sed 's#^./##' | head", "awk -F: '{print $1}' a", "awk -F '\\t' '$3 > 5' data.tsv", "awk 1 src/*.txt",
        "awk -v n=5 -v OFS=, 'NR<=n' a -", "gawk '{print $1}' a", "ls | awk '{print $1}' | sort | uniq -c",
    ],
)  # fmt: skip
def test_a_plain_call_is_proven(line: str) -> None:
    assert assess_shell(line, TextWorld()).code == "proven_read"


@pytest.mark.parametrize(
    "line",
    [
        "sed", "sed -n", "sed -e", "sed -f x a", "sed -i p a", "sed p -i a", "sed p a -i", "sed p a -e 'w x'",
        "sed 'w x' -e p", "sed -n -s p a", "sed -z p a", "sed -u p a", "sed --expression=p a", "sed -n p a -n",
        "sed p /etc/passwd", "sed p .env", "sed *", "sed -e *", "sed -n *.p a", "sed p *.env", "sed -ni p a",
        "sed -n1p a", "sed --quiet p a", "sed -E", "sed -l 5 p a", "sed p ../x", "awk", "awk '{print > 1}' a",
        "awk -f x a", "awk -fx a",
        "awk -F", "awk -F:", "awk -v x", "awk -v ENVIRON=1 1 a", "awk -v x=@/a/ 1 a", "awk -v 'x=\\n' 1 a",
        "awk -vARGC=3 1 a", "awk -i inplace 1 a", "awk -l x 1", "awk -W exec=x 1", "awk 1 x=1", "awk 1 -f x",
        "awk -o 1 a", "awk -E x", "awk * a", "awk -F * 1 a", "awk 1 /etc/passwd", "awk 1 .env", "gawk --include=x 1",
        "gawk -e 1 a", "mawk -W dump 1", "awk 1 ../x", "awk '{print}' /inet/tcp/0/h/80", "tar", "tar tf", "tar xf a",
        "tar tfv a", "tar tf a:b", "tar tf -", "tar -t -f a", "tar tf a -I x", "tar tf a --to-command=x",
        "tar tzf a *", "tar tf *", "tar tf ../a", "tar -tf a.tar --checkpoint=1", "tar vf a", "tar cf a b",
        "tar tIf x a",
    ],
)  # fmt: skip
def test_a_call_that_might_do_more_is_not_proven(line: str) -> None:
    assert not assess_shell(line, TextWorld()).proven_read


def test_an_archive_is_listed() -> None:
    for line in ("tar tf a.tar", "tar -tvzf a.tgz src/a.py", "tar tJf x/a.txz | head"):
        assert assess_shell(line, TextWorld()).proven_read, line


def test_a_script_from_the_name_of_a_file_is_not_proven() -> None:
    for line in ("sed * ", "sed -e * a", "awk * a", "tar tf *"):
        assert not assess_shell(line, KnownLane("p", "1")).proven_read, line
    assert assess_shell("sed p *", KnownLane("a.py", "b.py")).proven_read
    assert not assess_shell("awk 1 *", KnownLane("x=1", "b.py")).proven_read


def test_the_end_of_an_expression_is_where_every_version_sees_it() -> None:
    assert regex_end("a/b", 0, "/") == 1
    assert regex_end("[^/]/", 0, "/") == -1
    assert regex_end("[^/]/", 0, "/", in_brackets=True) == 4
    assert regex_end("[[:alpha:]x]/", 0, "/") == 12
    assert regex_end("a", 0, "/") == -1
    assert (plain_end("[^/]/", 0, "/"), plain_end("\\/a", 0, "/")) == (2, -1)
