# pf explore: every execution of small programs; failures are findings with clips; what was not
# explored is listed, and then the result is not called complete.
part="$ROOT/test/shell/part"

# outputs FILE OUTPUT...: the executions in the document FILE printed these texts, in this order
# when sorted.
outputs() {
    python3 - "$@" <<'EOF'
import json, sys
e = json.load(open(sys.argv[1]))["exploration"]
assert sorted(r["output"] for r in e["results"]) == sys.argv[2:], e
EOF
}

"$PF" cc -g -O1 "$part/explore_account.c" -o account
status 66 "$PF" explore --json account.json -o clips -- ./account
has out "assertion failed: balance >= 0"
has out "complete for this input: every execution was seen (C11)"
for _ in 1 2 3 4 5; do
    status 134 "$PF" replay --quiet clips/*.clip
done
python3 - <<'EOF'
import json
d = json.load(open("account.json"))
e = d["exploration"]
assert d["complete"] and e["complete"] and not e["open"] and e["model"] == "c11", e
assert e["schedules"] == e["classes"] == 6, e
assert [f["kind"] for f in d["findings"]] == ["assertion"] and d["findings"][0]["clip"], d
EOF

status 0 python3 "$ROOT/test/run/schema.py" "$ROOT/docs/format/findings.schema.json" account.json

# The first of two broadcasts wakes a waiter, and an assertion ends some executions early.
"$PF" cc -g -O1 -pthread "$ROOT/bench/subject/explore/bounded_buffer.c" -o buffer
status 66 "$PF" explore --clips-only --json buffer.json -- ./buffer
python3 - <<'EOF'
import json
e = json.load(open("buffer.json"))["exploration"]
assert e["complete"] and [r["classes"] for r in e["results"] if not r["end"]] == [24], e
EOF

# A time limit may pass at any moment. A program that then gives up is not wrong; one that crashes
# is.
"$PF" cc -g -O1 "$part/explore_limit.c" -o limit
soon=$(($(date +%s) + 1000))
status 0 "$PF" explore -- ./limit $soon
has out "assertion failed: ready"
has out "it does not count: the time limit of a wait passed early"
has out "complete for this input"
status 66 "$PF" explore -- ./limit $soon crash
has out "invalid memory reference), after the time limit of a wait had passed"
has out "; the time limit of a wait passed early in it"
status 0 "$PF" check --runs 1 --json limit.json --state limit.s -- ./limit $soon
has out "0 findings, and 1 suspicious"
status 134 "$PF" replay --quiet "$(python3 -c 'import json; print(json.load(open("limit.json"))["findings"][0]["clip"])')"
# A limit that is days away is not meant to pass.
status 0 "$PF" explore -- ./limit $((soon + 200000)) crash
hasnt out "invalid memory reference"
has out "complete for this input"
# It fails only while the lock is held: if the owner runs first, the lock is taken.
"$PF" cc -g -O1 "$part/explore_limit_c11.c" -o limit_c11
status 0 "$PF" explore -- ./limit_c11
has out "2 different executions, 2 results"

# A deadlock after that: the report names the limit, and the thread that has ended with the lock.
cp "$part/explore_gives_up.c" gives_up.c
"$PF" cc -g -O1 gives_up.c -o gives_up
status 66 "$PF" explore -- ./gives_up
clip=$(sed -n 's/^deadlock in .*: pf replay \([^;]*\);.*/\1/p' out)
status 66 "$PF" replay "$clip"
has err "  the time limit of mtx_timedlock (gives_up.c:13) had passed in thread T1"
has err "held by thread T1, which has ended, in mtx_lock, called from main (gives_up.c:27)"
status 66 "$PF" hatch --json deadlock.json "$clip"
has deadlock.json "deadlock, after the time limit of mtx_timedlock (gives_up.c:13) had passed in thread T1"

# limits: the result is not complete, and says what is left
status 0 "$PF" explore --runs 2 -- ./account
has out "stopped early"
status 2 "$PF" explore --runs x -- ./account
for time in 0s soon; do # pf check refuses these, too
    status 2 "$PF" explore --time $time -- ./account
    has err "--time=$time: expected a duration"
done
status 2 "$PF" explore
mkdir kept
status 2 "$PF" explore -o kept -- ./missing
status 2 "$PF" explore -o kept -- /bin/true
[[ -d kept ]] || fail "an empty folder that existed before was removed"

# The first run places the checkpoint after a write of the main thread that another thread reads
# only later on.
"$PF" cc -g -O1 "$part/explore_checkpoint.c" -o checkpoint
status 0 "$PF" explore --json checkpoint.json -- ./checkpoint
has out "complete for this input"
outputs checkpoint.json $'' $'0\n' $'1\n'
# One copy of the process makes many runs; it is rewound after each of them, also if the run mapped
# memory or died.
"$PF" cc -g -O1 "$part/explore_rewind.c" -o rewind
status 66 "$PF" explore --clips-only --json rewind.json -- ./rewind
python3 - <<'EOF'
import itertools, json
e = json.load(open("rewind.json"))["exploration"]
seen = sorted((x["output"], x["end"][:8], x["classes"]) for x in e["results"])
ends = {"a": "", "b": "signal 6", "c": "exit sta", "d": "signal 1"}
want = [("".join(p) + " 0 50\n", ends[p[0]], 1) for p in itertools.permutations("abcd")]
assert e["complete"] and e["different_results"] == 24 and seen == want, (e["open"], seen)
assert e["copies"] < e["schedules"], e
EOF

# A private copy of a file that is mapped would not be what the program reads through the mapping:
# the checkpoint must be before the file is opened.
"$PF" cc -g -O1 "$part/explore_mapped.c" -o mapped
status 0 "$PF" explore -- ./mapped
has out "complete for this input: every execution was seen (C11)"

build() { "$PF" cc -g -O1 "-DREASON=$1" "${@:2}" "$part/explore_open.c" -o open; }
build nothing
status 0 "$PF" explore -- ./open
has out "complete for this input: every execution was seen (C11)"
# answers that the program got before its threads exist are the same in all runs
build nothing -DBEFORE=asked_before
status 0 "$PF" explore --json before.json -- ./open
has out "complete for this input: every execution was seen (C11)"
python3 -c 'import json; e = json.load(open("before.json"))["exploration"]; assert e["complete"] and e["classes"] and not e["open"], e'
build relaxed
status 0 "$PF" explore -- ./open
has out "complete for this input: every execution was seen (sequential consistency only)"
# sleeps, time limits and functions with a state of their own are explored
for reason in sleeps timed_wait file_read random_number yields machine_facts; do
    build "$reason"
    status 0 "$PF" explore --runs 50 -- ./open
    has out "complete for this input: every execution was seen (C11)"
done
# A loop that reads two variables: the search for endless waits fixes the last write of one of them.
# The run may leave the loop because of the other, and nothing is known about the remaining orders.
"$PF" cc -g -O1 "$part/explore_two_waits.c" -o two_waits
status 66 "$PF" explore -- ./two_waits
has out "not explored: a loop that did not wait as planned"
hasnt out "complete for this input"
build counts_while_waiting
status 0 "$PF" explore --runs 50 -- ./open
has out "stopped early"
# the process ends while threads still run: they may have written something or not
build writes -DLEAVE
status 0 "$PF" explore --json leave.json -- ./open
has out "complete for this input: every execution was seen (C11)"
outputs leave.json $'' $'written\n'

"$PF" cc -g -O1 "$part/explore_prints.c" -o prints
status 0 "$PF" explore --json prints.json -- ./prints
has out "complete for this input: every execution was seen (C11)"
outputs prints.json $'one\ntwo\n' $'two\none\n'
# what the program writes to its own pipe is no part of its results, and the pieces in which it
# writes a file do not count
status 0 "$PF" cc -g -O1 -pthread "$ROOT/test/shell/part/serial_pipe.c" -o serial_pipe
status 0 "$PF" explore -- ./serial_pipe
has out "2 different executions, 1 result"

# what the program writes to itself is no part of its results
"$PF" cc -g -O1 "$part/explore_own_pipe.c" -o own_pipe
status 0 "$PF" explore --json own_pipe.json -- ./own_pipe
has out "2 different executions, 1 result,"
outputs own_pipe.json $'done\n'
# C++: what libstdc++ does inside of its functions is explored as well
"$PF" c++ -g -O1 "$part/explore_cxx.cpp" -o cxx
status 0 "$PF" explore --json cxx.json -- ./cxx
has out "complete for this input: every execution was seen (sequential consistency only)"
outputs cxx.json $'1 by 1 1\n' $'1 by 1 2\n' $'2 by 2 1\n' $'2 by 2 2\n'

"$PF" c++ -std=c++17 -g -O1 -pthread "$part/explore_async.cpp" -o async
explored() { # explored CASE OUTPUT...: the case is explored completely and prints these texts
    status 0 "$PF" explore --json async.json -- ./async "$1"
    has out "complete for this input"
    outputs async.json "${@:2}"
}
explored async $'1 4\n' $'5 2\n'
explored throws $'refused 4\n' $'refused 5\n'
explored shared $'4 4\n'
explored any $'ready\n'
explored once $'1\n' $'2\n'

# The number of jobs does not affect the result.
status 2 "$PF" explore --jobs 0 -- ./account
has err "--jobs=0: expected a number from 1"
status 2 "$PF" explore --runs=-1 -- ./account
has err "--runs=-1: expected a number from 1"
status 2 "$PF" explore -- /bin/true
has err "/bin/true: not instrumented"
hasnt err "--any"
printf '#!/bin/sh\n' >script
chmod +x script
status 2 "$PF" explore -- ./script
has err "./script: is a script"
"$PF" cc -g -O1 -pthread "$ROOT/example/tally.c" -o tally
for jobs in 1 3; do
    status 66 "$PF" explore --jobs $jobs --json account.$jobs.json -o account.$jobs -- ./account
    status 0 "$PF" explore --jobs $jobs --runs 50 --json tally.$jobs.json -o tally.$jobs -- ./tally
done
python3 - <<'EOF'
import json
def explored(path):
    d = json.load(open(path))
    e = d["exploration"]
    e.pop("milliseconds")
    e.pop("copies")
    for x in e["failures"] + e["races"]:
        x["clip"] = x["clip"].split("/")[-1]
    return e, [(f["kind"], f["id"]) for f in d["findings"]]
for name in "account", "tally":
    assert explored(name + ".1.json") == explored(name + ".3.json"), name
EOF

# a run of thousands of events has millions of targets: they are not all generated at once
status 0 "$PF" explore --runs 20 --json tally.json -- ./tally
has out "stopped early"
python3 - <<'EOF'
import json
e = json.load(open("tally.json"))["exploration"]
assert e["schedules"] == e["classes"] == 20 and e["races"][0]["clip"], e
EOF

# All runs get the same answers from outside. Each thread acts on a random number, so that runs
# would otherwise differ. Later runs do not use a connection again.
for source in RANDOM DEVICE PROC; do
    "$PF" cc -g -O1 "-D$source" "$part/explore_answers.c" -o answers
    status 0 "$PF" explore --json answers.json -- ./answers
    has out "complete for this input: every execution was seen (C11)"
    python3 -c 'import json; e = json.load(open("answers.json"))["exploration"]; assert e["classes"] > 1 and len(e["results"]) == 1, e'
done
"$PF" cc -g -O1 -DCLOCK "$part/explore_answers.c" -o answers
status 0 "$PF" explore -o clocks -- ./answers
has out "not explored: a call of a library function that is not explored (clock_gettime)"
hasnt out "did not follow its plan"
# a file that another process changes meanwhile
"$PF" cc -g -O1 -DCHANGING "$part/explore_answers.c" -o answers
echo 1 >changing
status 0 "$PF" explore -- ./answers
has out "complete for this input: every execution was seen (C11)"
# (with far more schedules than there is time for: the loop below is certain to run meanwhile)
"$PF" cc -g -O1 -DCHANGING -DTHREADS=4 "$part/explore_answers.c" -o answers
python3 - <<'EOF'
import os, subprocess
p = subprocess.Popen([os.environ["PF"], "explore", "--time", "2s", "--", "./answers"], stdout=subprocess.PIPE, text=True)
while p.poll() is None:
    open("changing", "w").write("1")
out = p.stdout.read()
assert "an answer from outside that was not recorded (" in out and "system call" not in out, out
EOF
"$PF" cc -g -O1 -DSOCKET "$part/explore_answers.c" -o answers
python3 - <<'EOF'
import os, socket, subprocess, threading
s = socket.socket()
s.bind(("127.0.0.1", 0))
s.listen(50)
served = []
def serve():
    while True:
        c, _ = s.accept()
        served.append(c.recv(8))
        c.sendall(b"%d" % len(served))
        c.close()
threading.Thread(target=serve, daemon=True).start()
def explore(*more):
    before = len(served)
    out = subprocess.run([os.environ["PF"], "explore", *more, "--", "./answers", str(s.getsockname()[1])], capture_output=True, text=True)
    return out.stdout, len(served) - before
out, n = explore()
assert n == 0 and "a call that a private run cannot make" in out, (out, n)
out, n = explore("--allow-outside")
# two runs use connections, one before and one after the checkpoint was chosen; each has two threads
assert n == 4 and "complete for this input: every execution was seen (C11)" in out, (out, n)
EOF

# A program that overwrites sizes and counts in the memory shared with pf does not harm pf.
"$PF" cc -g -O0 -pthread -I"$ROOT/src/clip" -DPF_CHANNEL_VERSION=0 \
    "$ROOT/test/shell/part/explore_overwritten.c" -o overwritten
for what in rings counts; do
    status 0 "$PF" explore -- ./overwritten $what
done
# A program that cannot be copied, because it allows no further descriptors: the message has the
# reason.
status 2 "$PF" explore -- ./overwritten no_descriptors
has err "its resident process ended: cannot map the answers of the outside world (is there a limit on open files?)"
# A function that only reads errno, in another file of the program, is not taken for code that is
# not instrumented.
"$PF" cc -g -O1 -pthread "$ROOT"/test/shell/part/explore_errno{_main,}.c -o uses_errno
status 0 "$PF" explore -- ./uses_errno
has out "complete for this input"
