# pf check explores schedules in batches: a failure that needs a schedule is a finding with harm and a
# clip; the whole budget is used unless there is nothing left to explore; --seed and --runs determine
# the schedules.
cp "$ROOT/test/shell/part/check_explores_account.c" account.c
"$PF" cc -g -O1 -pthread -DSAFE=0 account.c -o account
cat >barren.c <<'END'
#include <pthread.h>
static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;
static int visits;
static void *visit(void *p)
{
    pthread_mutex_lock(&door);
    visits++;
    pthread_mutex_unlock(&door);
    return p;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, visit, 0);
    visit(0);
    return pthread_join(t, 0);
}
END
"$PF" cc -g -O1 -pthread barren.c -o barren
echo 'int main(void) { return 0; }' >one.c
"$PF" cc -g one.c -o one

# A check and an act in two critical sections: no access is a race, and only some schedules fail.
status 66 "$PF" check --runs 2 --quiet --json account.json --state account.s -- ./account
python3 - "$(grep -n HERE account.c | cut -d: -f1)" <<'END'
import json, os, subprocess, sys
d = json.load(open("account.json"))
(f,) = [f for f in d["findings"] if f["kind"] == "assertion"]
assert f["status"] == "confirmed" and f["harm"].startswith("assertion failed: balance >= SAFE"), f
assert f["accesses"][-1]["line"] == int(sys.argv[1]), f["accesses"]
for _ in range(3):
    r = subprocess.run([os.environ["PF"], "replay", f["clip"]], capture_output=True, text=True)
    assert r.returncode == 128 + 6 and "Assertion" in r.stderr, r
END

# Rounds without news do not end the check.
status 0 "$PF" check --time 4s --quiet --state barren.s -- ./barren
python3 - <<'END'
import glob, json
steps = [json.loads(l) for l in open(glob.glob("barren.s/check/*/journal")[0])]
assert sum(s["wall_ms"] for s in steps) > 2000, steps
first = [s["first"] for s in steps if s["kind"] == "batch"]
assert len(set(first)) == len(first) > 1, first
assert open(glob.glob("barren.s/check/*/end")[0]).read() == "done"
END
# A program with one thread has one schedule.
status 0 "$PF" check --time 10m --quiet --state one.s -- ./one
has out "explored: 1 free run; 1 schedule"
[[ $(cat one.s/check/*/end) == complete ]] || fail "not complete"

# The same seed and number of rounds: the same schedules and behaviours. Another seed: others.
for s in a b; do status 66 "$PF" check --runs 4 --seed 5 --quiet --state same.$s -- ./account; done
status 66 "$PF" check --runs 4 --seed 6 --quiet --state same.c -- ./account
python3 - <<'END'
import glob, json
def batches(name):
    steps = [json.loads(l) for l in open(glob.glob(f"same.{name}/check/*/journal")[0])]
    return [tuple(s[k] for k in ("schedule", "first", "schedules", "behaviours", "failures")) for s in steps if s["kind"] == "batch"]
assert len(batches("a")) == 3 and batches("a") == batches("b"), (batches("a"), batches("b"))
assert batches("a") != batches("c") and batches("c")[0][1] == 6, batches("c")
END
# A resumed check goes on with further seeds.
status 66 "$PF" check --continue --runs 2 --quiet --state same.a
python3 - <<'END'
import glob, json
steps = [json.loads(l) for l in open(glob.glob("same.a/check/*/journal")[0])]
first = [(s["first"], s["schedules"]) for s in steps if s["kind"] == "batch"]
assert len(first) > 3 and all(a + n <= b for (a, n), (b, _) in zip(first, first[1:])), first
END
status 2 "$PF" check --seed x -- ./account
has err "--seed=x: expected a number"
