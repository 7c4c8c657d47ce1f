# pf check: servers with a client, suites, and reports of another tool.
cp "$ROOT/test/shell/part/check_more_server.c" server.c
cat >client.py <<'END'
import os, socket
open("clients", "a").write(".")
all = [socket.create_connection(("127.0.0.1", int(os.environ["PF_PORT"]))) for _ in range(2)]
for c in all:
    c.sendall(b"hello")
for c in all:
    assert c.recv(64) == b"hello"
END
"$PF" cc -g -O1 -pthread server.c -o server
status 66 "$PF" check --runs 1 --grace 1m --server 'python3 client.py' --json server.json --state server.s -- ./server
hasnt out "note: the program ended with status"
python3 - <<'END'
import json
d = json.load(open("server.json"))
(f,) = d["findings"]
assert f["status"] == "confirmed" and f["accesses"][0]["variable"] == "served", f
assert d["complete"], d["check"]
assert len(open("clients").read()) >= 3  # one for the run, the recording and each try
open("clip", "w").write(f["clip"])
END
clip=$(cat clip)
status 0 "$PF" replay "$clip" # needs no client
has out " served" # preceded by 1 or 2, depending on the race
# Of two servers, each has its standard input until it is told to end.
rm clients
status 66 "$PF" check --runs 1 --grace 1m --server 'python3 client.py' --state two.s -- ./server twice
[[ ! -e early ]] || fail "the standard input of a server ended before its client had run"
[[ $(wc -c <clients) -ge 4 ]] || fail "only $(wc -c <clients) clients were run"
status 0 "$PF" check --runs 1 --server 'exit 3' --state bad.s -- ./server
has out "pf: incomplete: a free run: the client ended with status 3"

cp "$ROOT/test/shell/part/check_more_work.c" work.c
"$PF" cc -g -O1 -pthread work.c -o work
printf './work all\n@name=some ./work\n@name=shell sh -c "./work all"\n' >tests.txt
status 2 "$PF" check --suite tests.txt
has err "tests.txt:3"
status 2 "$PF" check --suite tests.txt -- ./work
has err "give either --suite or a program"
status 66 "$PF" check --runs 2 --jobs 2 --any --suite tests.txt --json suite.json --state suite.s
schema() { status 0 python3 "$ROOT/test/run/schema.py" "$ROOT/docs/format/findings.schema.json" "$@"; }
schema suite.json
python3 - <<'END'
import json
d = json.load(open("suite.json"))
(early,) = [f for f in d["findings"] if f["accesses"][0]["variable"] == "early"]
assert early["status"] == "confirmed" and early["clip"], early
c = d["check"]
assert c["runs"] == 6 and c["recordings"] == 2 and c["sampled"] >= 16, c  # a script cannot be recorded
END

# Reports of another tool get recordings aimed at them: one race is real and needs a schedule that
# no recording had; the other report names accesses that do not exist. Unconfirmed ones are listed
# and do not affect the exit status. A file that is not such a report is refused before the check
# leaves anything that reports would stumble over.
status 2 "$PF" check --from work.c --state bad_from.s -- ./work
has err "pf check: work.c: neither a ThreadSanitizer report nor Helgrind XML"
[[ ! -e bad_from.s ]] || fail "a check that was refused has a state folder"
at() { grep -n "$1" work.c | cut -d: -f1; }
report() {
    cat <<END
WARNING: ThreadSanitizer: data race (pid=1)
  Write of size 4 at 0x1 by main thread:
    #0 main work.c:$2:10 (work+0x1)

  Previous write of size 4 at 0x1 by thread T1:
    #0 other work.c:$1:14 (work+0x2)

SUMMARY: ThreadSanitizer: data race
END
}
{
    report "$(at 'late = 1;')" "$(at 'late = 2;')"
    report "$(at 'early = 1;')" "$(at 'early = 2;')"
} >tsan.log
status 66 "$PF" check --runs 8 --from tsan.log --json from.json --state from.s -- ./work
has out "Not confirmed: 8 schedules aimed at it did not show it again"
has out "1 confirmed, 1 not confirmed"
schema from.json
status 66 "$PF" report --from from.json
has out "Not confirmed: 8 schedules aimed at it did not show it again"
python3 - <<'END'
import json
d = json.load(open("from.json"))
by = {(f["status"], tuple(sorted(a["line"] for a in f["accesses"]))): f for f in d["findings"]}
(late,) = [f for f in d["findings"] if f["status"] == "confirmed"]
assert late["accesses"][0]["variable"].startswith("late") and late["clip"], late
assert "tsan" in {s["stage"] for s in late["stages"]}, late["stages"]
(early,) = [f for f in d["findings"] if f["status"] == "predicted"]
assert early["tries"] == 8 and not early["clip"], early
assert [f for f in d["findings"] if not f["class"]][-1] == early, "only harmless races come later"
END
stack() { echo "<stack><frame><ip>0x1</ip><fn>$1</fn><file>work.c</file><line>$(at "$2")</line></frame></stack>"; }
cat >helgrind.xml <<END
<?xml version="1.0"?>
<valgrindoutput>
<protocoltool>helgrind</protocoltool>
<error><kind>Race</kind>
<xwhat><text>Possible data race during write of size 4 at 0x1 by thread #1</text></xwhat>
$(stack main 'late = 2;')
<xauxwhat><text>This conflicts with a previous write of size 4 by thread #2</text></xauxwhat>
$(stack other 'late = 1;')
</error>
</valgrindoutput>
END
status 66 "$PF" check --runs 8 --from helgrind.xml --json helgrind.json --state helgrind.s -- ./work
python3 - <<'END'
import json
(late,) = [f for f in json.load(open("helgrind.json"))["findings"] if f["status"] == "confirmed"]
assert "helgrind" in {s["stage"] for s in late["stages"]} and late["clip"], late
END

# A race that happens only in free runs (in directed mode the kernel has one thread) is reported as
# observed, not confirmed.
cp "$ROOT/test/shell/part/check_more_free.c" free.c
"$PF" cc -g -O1 -pthread "-I$ROOT/test/program" free.c -o free
status 66 "$PF" check --runs 2 --json free.json --state free.s -- ./free
has out "not yet confirmed"
schema free.json
python3 - <<'END'
import json
(f,) = json.load(open("free.json"))["findings"]
assert f["status"] == "observed" and not f.get("clip"), f
END

report 1 2 >tsan.log
echo 'int main(void) { return 0; }' >race_free.c
"$PF" cc -g race_free.c -o race_free
status 0 "$PF" check --runs 1 --from tsan.log --state from2.s -- ./race_free
has out "1 finding: 0 confirmed, 1 not confirmed"
status 2 "$PF" check --from nowhere.log -- ./work
has err "nowhere.log: No such file"
echo "all is well" >plain.log
status 2 "$PF" check --from plain.log --state from3.s -- ./work
has err "neither a ThreadSanitizer report nor Helgrind XML"
