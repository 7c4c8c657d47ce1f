# Failures of the program are findings: crash, failed assertion, deadlock in every run, hang, memory
# error. Each has an id, a stack and a clip; baselines accept it, pf explain describes it, and SARIF
# has a rule for it.
cp "$ROOT/test/shell/part/check_failures_fails.c" fails.c
status 0 "$PF" cc -g -O1 -pthread fails.c -o fails
line() { grep -n "/\* $1 \*/" fails.c | cut -d: -f1; }

# A free run that deadlocks is ended by the limit; the recording shows why.
check() {
    status 66 "$PF" check --runs 1 --time 10s --grace 100ms --quiet --state "$1.s" --json "$1.json" -- ./fails "$1"
    python3 - "$1" "$2" "$3" "$(line "$4")" <<'END'
import json, os, sys
name, kind, accesses, line = sys.argv[1:]
d = json.load(open(name + ".json"))
# libc may notice the use after free in the free run and abort: a second finding, without a clip
(f,) = [f for f in d["findings"] if f["status"] == "confirmed" or kind != "use-after-free"]
assert (f["kind"], f["status"], len(f["accesses"])) == (kind, "confirmed", int(accesses)), f
assert int(line) in [a["line"] for a in f["accesses"]], (f["accesses"], line)
assert os.path.exists(f["clip"]), f["clip"]
open("id", "w").write(f["id"])
open("clip", "w").write(f["clip"])
END
    status 0 python3 "$ROOT/test/run/schema.py" "$ROOT/docs/format/findings.schema.json" "$1.json"
    status 0 "$PF" explain --state "$1.s" "$(cat id)"
    has out "$(cat id)"
    status 66 "$PF" report --state "$1.s" --html -o page.html
    status 66 "$PF" report --state "$1.s" --sarif -o it.sarif
    grep -q "\"ruleId\":\"$2\"" it.sarif || fail "no SARIF result of rule $2"
    status 0 "$PF" baseline --state "$1.s" -o "$1.base"
    status 0 "$PF" report --state "$1.s" --baseline "$1.base"
}
check memory use-after-free 2 USE
# The printed command shows it.
status 66 "$PF" report --state memory.s
status 66 "$PF" $(sed -n 's/^  See it again, every time: pf //p' out | tail -1)
has err "pf replay: shown: heap-use-after-free on a heap block of "
has err "; 1 memory error"
status 66 "$PF" replay --state memory.s "$(cat id)"
has err "; 1 memory error"
check store crash 1 STORE
has_harm() { grep -q "\"harm\":\"$1" "$2.json" || fail "no harm '$1'"; }
has_harm "the program died of signal 11 (SIGSEGV" store
check load crash 1 LOAD
check assertion assertion 1 ASSERTION
has_harm "assertion failed: one == 2" assertion
check spin hang 2 JOIN
has_harm "the program hung" spin
check yield hang 2 YIELD
check deadlock deadlock 2 DEADLOCK
check wait deadlock 2 WAIT

# The id depends on the position, not on the run.
cp id first
check wait deadlock 2 WAIT
cmp id first

# Only a free run failed: the crash is a finding without a clip.
cp "$ROOT/test/shell/part/check_failures_once.c" once.c
status 0 "$PF" cc -g once.c -o once
status 66 "$PF" check --runs 1 --state once.s --json once.json -- ./once
has out "WARNING: photofinish: crash"
has out "#0 main once.c:7"
has out "Cause: the program died of signal 6 (SIGABRT, abort)"
has out "Observed once, not confirmed: no recording shows it"
has out "1 finding: 0 confirmed, 1 observed"

# A memory error that a replay shows explains the crash of a free run at the same place.
status 0 "$PF" cc -g -pthread "$ROOT/test/shell/part/check_failures_large.c" -o large
status 66 "$PF" check --runs 2 --state large.s --json large.json -- ./large
has out "1 finding: 1 confirmed"
python3 - <<'END'
import json
(f,) = json.load(open("large.json"))["findings"]
assert f["kind"] == "use-after-free" and f["clip"], f
assert any(s["stage"] == "run" for s in f["stages"]), f["stages"]
END

# Suppressions of races do not hide failures.
echo "race:store" >suppressions
status 66 "$PF" check --runs 1 --state quiet.s --suppressions suppressions -- ./fails store
has out "WARNING: photofinish: crash"

# An order of locks that can deadlock is confirmed with a clip, or the report says that it was not.
status 0 "$PF" cc -g -O1 -pthread '-DRIGHT=&b, &a' "$ROOT/test/shell/part/hatch_locks.c" -o order
status 66 "$PF" check --runs 1 --state order.s --json order.json -- ./order
has out "WARNING: photofinish: deadlock"
has out "See it again, every time: pf replay"
status 0 "$PF" cc -g -O1 -pthread "$ROOT/test/drop_in/lock_order_bad.c" -o after
status 0 "$PF" check --runs 1 --state after.s --json after.json -- ./after
has out "lock-order-inversion (potential deadlock)"
has out "Not confirmed: no explored schedule showed it"
python3 - <<'END'
import json, os
for name, status in [("order", "confirmed"), ("after", "predicted")]:
    (f,) = json.load(open(name + ".json"))["findings"]
    assert (f["kind"], f["status"], f["counts"]) == ("deadlock", status, status == "confirmed"), f
    assert bool(f["clip"]) == (status == "confirmed"), f["clip"]
END

# Two failures of the same kind are two findings, also if only one of them was replayed: the others
# have no stack then. Here, what the replays and the free runs of the others found is removed.
cp "$ROOT/test/shell/part/check_failures_two.c" two.c
"$PF" cc -g -O0 two.c -o two
printf './two f\n./two g\n./two\n' >two.tests
status 66 "$PF" check --runs 1 --state two.s --suite two.tests
has out "3 findings: 3 confirmed"
for file in two.s/check/*/found/*.json two.s/check/*/.runs/*/*.pflog; do
    grep -q '"function":"f"' "$file" || rm "$file"
done
status 66 "$PF" report --state two.s
has out "3 findings: 1 confirmed (1 with harm), 2 observed"
has out "the program died of signal 11 (Segmentation fault) in a recording"
has out "the program died of signal 6 (Aborted) in a recording"

# A block that is freed twice: a free run dies of SIGABRT there, which is the same finding.
for level in O0 O2; do
    "$PF" cc -$level -g -pthread -Wno-everything "$ROOT/test/shell/part/check_failures_twice.c" -o twice
    status 66 "$PF" check --runs 1 --time 20s --state twice.$level -- ./twice
    has out "WARNING: photofinish: heap block freed twice"
    has out "1 finding: 1 confirmed (1 with harm)"
    hasnt out "crash"
done
