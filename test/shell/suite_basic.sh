# pf suite: a list of tests, exit codes, limits, findings over all executions, table and picture.
cp "$ROOT/test/shell/part/suite_basic_t.c" t.c
status 0 "$PF" cc -g -w -I"$ROOT/test/program" -o t t.c -pthread
clang-19 -w -I"$ROOT/test/program" -o native t.c -pthread
mkdir folder
echo i >in

cat >tests <<'END'
# a comment, and an empty line

./t race
@name=again ./t race   # the same race in another test
./t other
  @dir=folder ../t exit 0
@status=3 ./t exit 3
WORD='a b' ./t print "x \"y\"" \#z
@input=in ./t input
./t race
END
status 66 "$PF" suite --repeat 2 --json out.json tests
has err "pf suite: 1 new finding in ./t race (full, round 1)"
has err "pf suite: 1 new finding in ./t other (full, round 1)"
has out "2 findings in 16 executions of 8 tests: 16 passed, 0 failed"
has out "in 6 executions of 3 tests"
status 0 python3 "$ROOT/test/run/schema.py" "$ROOT/docs/format/findings.schema.json" out.json
python3 - <<'END'
import json, sqlite3
d = json.load(open("out.json"))
assert d["complete"] is True, d
assert d["command"] == ["pf", "suite", "--repeat", "2", "--json", "out.json", "tests"], d["command"]
by_tests = {tuple(f["tests"]): f["executions"] for f in d["findings"]}
assert by_tests == {("./t race", "again", "./t race (2)"): 6, ("./t other",): 2}, by_tests
c = sqlite3.connect(".photofinish/suite.db")
assert c.execute("select count(*) from execution where outcome='passed' and complete=1").fetchone() == (16,)
assert c.execute("select count(*) from sighting").fetchone() == (8,)
END
status 66 "$PF" report
has out "in 6 executions of 3 tests: ./t race; again; ./t race (2)"
has out "16 executions of 8 tests: 16 passed, 0 failed"
status 66 "$PF" report --json
python3 -c 'import json; d = json.load(open("out")); assert d["complete"] and len(d["findings"]) == 2, d'

# A finished suite starts over; the state accumulates, the result is that of the new suite.
status 66 "$PF" suite --repeat 2 tests
hasnt err "continues"
has out "2 findings in 16 executions"
status 66 "$PF" report
has out "in 12 executions of 3 tests"

# Commands after --, one argument each. Failures without findings: status 1.
status 1 "$PF" suite --state s1 -- './t exit 4' ./t
has out "0 findings in 2 executions of 2 tests: 1 passed, 1 failed"
# Failures of every kind. A crash is a finding.
status 66 "$PF" suite --state s2 --any -- './t exit 4' './t abort' 'sh -c "echo said; exit 5"' ./t
has err "pf suite: failed: ./t exit 4 (full, round 1): exit status 4"
has err "pf suite: failed: ./t abort (full, round 1): killed by signal 6"
has err "    said"
hasnt err "pf: incomplete: test ./t abort"
has err 'test sh -c "echo said; exit 5": 1 executions in which no instrumented process ran'
has out "1 finding in 4 executions of 4 tests: 1 passed, 3 failed"
status 66 "$PF" report s2
has out "failed: ./t abort: exit status 134, 1 time"
has out "failed: ./t exit 4: exit status 4, 1 time"
status 0 "$PF" suite --state s3 -- ./t
has out "0 findings in 1 execution of 1 test: 1 passed, 0 failed"
status 66 "$PF" suite --quiet --state quiet -- "./t race"
[[ ! -s out && ! -s err ]] || fail "pf suite --quiet prints: $(cat out err)"

# On a terminal a bar shows the progress.
TERM=xterm script -qec "'$PF' suite --state bar --jobs 1 --repeat 2 -- './t race' ./t" terminal >/dev/null </dev/null || [[ $? == 66 ]]
has terminal "[....................] 0/4, 0 findings, 0 failed"
has terminal "[##########..........] 2/4, 1 finding, 0 failed"

# The share reaches the tests under atexrace only.
cat >options.sh <<'END'
#!/bin/sh
echo "$PF_OPTIONS" >>options
exec ./t
END
chmod +x options.sh
status 0 "$PF" suite --quiet --any --state share --sample=full,atexrace --overhead 7% -- ./options.sh
[[ $(grep -c overhead=7 options) == 1 && $(grep -c . options) == 2 ]]

# Standard input; several jobs; policies side by side; a table and a picture.
printf '@native=native ./t race\n@native=native ./t\n' >two
status 66 "$PF" suite --state s4 --jobs 3 --repeat 12 --sample=native,none,full --svg curve.svg - <two
has out "cumulative overhead over native"
has out "1 finding in 72 executions of 2 tests"
python3 - <<'END'
import xml.dom.minidom
svg = xml.dom.minidom.parse("curve.svg").documentElement
text = "".join(n.firstChild.data for n in svg.getElementsByTagName("text") if n.firstChild)
assert "Cumulative overhead (CPU) over native" in text and "Distinct findings" in text, text
lines = [p for p in svg.getElementsByTagName("path") if "L" in p.getAttribute("d")]
assert len(lines) == 4, [p.getAttribute("d") for p in lines]  # two policies, two panels
assert all(p.getAttribute("d").count("L") == 23 for p in lines)
assert "<script" not in open("curve.svg").read()
END
status 66 "$PF" report --table --state s4
python3 - <<'END'
rows = [line.split("|") for line in open("out") if "|" in line]
assert [p.strip() for p in rows[0][1:]] == ["none", "full"], rows[0]
assert [int(r[0]) for r in rows[2:]] == [1, 2, 5, 10, 20, 24], rows
assert rows[-1][2].split()[2:] == ["1", "12"], rows[-1]  # one finding, in every second execution
END
status 66 "$PF" report --svg -o again.svg --state s4
cmp curve.svg again.svg

# Unreadable logs are reported, kept, and make the result incomplete; the suite continues.
status 66 "$PF" suite --state s5 --any -- "sh -c './t race; echo garbage >\"\$PF_LOG_DIR/1.1.pflog\"'" './t race'
has err "1.1.pflog:1: expected JSON"
has err "findings logs could not be read"
has out "2 executions of 2 tests: 2 passed"
[[ -s s5/.suite/1.damaged/1.1.pflog ]] || fail "the damaged log is gone"

# Other states of a state folder.
status 2 "$PF" report --table --state folder
has err "pf suite has not used this folder"
