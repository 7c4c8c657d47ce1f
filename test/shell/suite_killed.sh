# pf suite interrupted, killed, two at once; tests that hang, ignore SIGTERM, leave processes behind
# or do not exist when they are due. Nothing is lost, nothing counts twice, no process keeps
# running.
cp "$ROOT/test/shell/part/suite_killed_t.c" t.c
status 0 "$PF" cc -g -w -I"$ROOT/test/program" -o t t.c -pthread
none_left() { # none of the started processes is left
    touch pids
    for pid in $(cat pids); do
        [[ ! -d /proc/$pid ]] || fail "process $pid still runs"
    done
    rm pids
}

# A time limit; SIGTERM is ignored, daemons are in their own sessions.
status 1 "$PF" suite --state limits --limit 1s --grace 50ms -- './t stubborn' '@limit=1h ./t'
has err "failed: ./t stubborn (full, round 1): time limit reached"
has out "0 findings in 2 executions of 2 tests: 1 passed, 1 failed"
none_left
status 0 "$PF" report limits
has out "failed: ./t stubborn: time limit reached, 1 time"
# Processes that a test leaves behind are terminated too, and the result is incomplete.
status 0 "$PF" suite --state left --grace 50ms -- './t daemon'
has err "pf: incomplete: test ./t daemon: 2 processes were killed before their end"
none_left
# A test program that does not exist when it is due.
cp t gone
status 1 "$PF" suite --state gone-state --any -- 'rm gone' ./gone
has err "failed: ./gone (full, round 1): could not be run: $PWD/./gone: No such file or directory"

# Interrupted: finished executions are kept, findings of the interrupted one count; then the suite
# resumes.
wait_for() { while [[ ! -s $1 ]]; do sleep 0.01; done; }
interrupt() {
    rm -f waiting
    "$PF" suite --state i --grace 50ms --repeat 2 -- './t race' './t wait' >out 2>err &
    pid=$!
    wait_for waiting
    kill -"$1" $pid
    got=0
    wait $pid || got=$?
    [[ $got == "$2" ]] || fail "status $got"
    while [[ -d /proc/$(tail -n 1 waiting) ]]; do sleep 0.01; done
}
interrupt INT 130
has err "stopping; run the same command again to continue"
has err "suite command line: 1 of 4 executions are done"
has out "1 finding in 1 execution of 2 tests: 1 passed, 0 failed; 1 more were interrupted"
status 66 "$PF" report i
has out "incomplete: suite command line: 1 of 4 executions are done"
interrupt KILL 137
status 66 "$PF" report i
has out "suite command line: 1 of 4 executions are done"
touch go
status 66 "$PF" suite --state i --grace 50ms --repeat 2 --json i.json -- './t race' './t wait'
has err "continuing the interrupted suite"
has err "1 interrupted execution; the findings are kept"
has out "1 finding in 4 executions of 2 tests: 4 passed, 0 failed; 2 more were interrupted"
python3 - <<'END'
import json
d = json.load(open("i.json"))
assert d["complete"] is True
assert [(f["tests"], f["executions"]) for f in d["findings"]] == [(["./t race", "./t wait"], 6)]
END
[[ -z $(ls i/.suite) ]] || fail "logs are left in i/.suite"

# Two at once in one folder, killed at random points until both finish.
python3 - "$PF" <<'END'
import os, random, signal, sqlite3, subprocess, sys

pf, rand = sys.argv[1], random.Random(11)
tests = [f"@name=n{i} ./t {'race' if i % 2 else 'plain'}" for i in range(4)]
commands = [[pf, "suite", "--quiet", "--state", "k", "--jobs", str(n), "--repeat", "4", "--", *tests, *more]
            for n, more in ((1, ["./t x"]), (3, ["./t y"]))]
quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
finished, kills = [False, False], 0
for step in range(400):
    left = [i for i in (0, 1) if not finished[i]]
    if not left:
        break
    running = [(i, subprocess.Popen(commands[i], **quiet)) for i in left]
    for i, p in running:
        try:
            # The first kills at once; then later and later, so that the test ends on any machine.
            err = p.communicate(timeout=rand.random() * 0.1 * (1 + step / 3) if step else 0)[1]
            if p.returncode != 66:
                sys.exit(f"status {p.returncode}: {err.decode()}")
            finished[i] = True
        except subprocess.TimeoutExpired:
            p.send_signal(rand.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM]))
            err = p.communicate()[1]
            kills += 1
            if p.returncode not in (-9, -15, 143, 66):
                sys.exit(f"status {p.returncode}: {err.decode()}")
            finished[i] = p.returncode == 66
assert finished == [True, True], "never finished"
assert kills, "never killed"
c = sqlite3.connect("k/suite.db")
assert c.execute("pragma integrity_check").fetchone() == ("ok",)
# After a kill between the end of a campaign and the end of its process, the next one started over.
# No campaign was abandoned.
(n,) = c.execute("select count(*) from campaign").fetchone()
assert n >= 2
assert c.execute("select count(*) from campaign where ended is null").fetchone() == (0,)
units = c.execute("""select t.campaign, t.number, x.round, count(*) from execution x join test t on t.id=x.test
                     where outcome<>'interrupted' group by 1,2,3""").fetchall()
assert len(units) == n * 5 * 4 and all(n == 1 for *_, n in units), units
assert c.execute("select count(*) from execution where outcome is null").fetchone() == (0,)
seen = c.execute("""select t.name, count(*) from sighting s join execution x on x.id=s.execution
                    join test t on t.id=x.test where x.outcome='passed' group by 1 order by 1""").fetchall()
assert seen == [("n1", 4 * n), ("n3", 4 * n)], seen
assert c.execute("select count(*) from finding").fetchone() == (1,)
assert os.listdir("k/.suite") == [], os.listdir("k/.suite")
END
status 66 "$PF" report k
has out "1 finding"

# Killed in the middle of a commit, its journal still exists: the report is as before the
# transaction.
cp -r k before
python3 - <<'END'
import os, sqlite3
c = sqlite3.connect("k/suite.db", isolation_level=None)
c.execute("pragma cache_size=2")
c.execute("begin immediate")
for i in range(200):
    c.execute("insert into finding values(?, ?)", (f"{i:016x}", "x" * 4000))
c.execute("delete from sighting")
assert os.path.getsize("k/suite.db-journal") > 0 and os.path.getsize("k/suite.db") > 400000
os._exit(0)
END
status 66 "$PF" report before
mv out wanted
status 66 "$PF" report k
cmp out wanted
