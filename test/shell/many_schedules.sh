# Many schedules from one checkpoint: how often policies reach a deadlock of two locks, in 100 fixed
# seeds each; --news keeps only continuations that failed or show a new behaviour.
"$PF" cc -g -O1 -pthread "$ROOT/test/shell/part/two_locks.c" -o two_locks
mkdir c
at=T0:1
count() { # count TAIL OPTION...: prints how many of 100 continuations deadlock
    rm -f c/*
    status 0 "$PF" record -o base.clip --at=$at --continue=100 --tail="$1" --folder=c --json all.json "${@:2}" -- ./two_locks
    python3 -c 'import json; print(sum(k["outcome"] == "deadlock" for k in json.load(open("all.json"))["continuations"]))'
}
# The length of a run, which is also how pf check uses pct; too long a length; none.
fits=$(count 'pct:*,3,24')
((fits >= 10)) || fail "pct with the length of a run: $fits of 100"
long=$(count 'pct:*,3,20000')
((long < fits / 4)) || fail "pct with a length of 20000: $long of 100, expected far fewer than $fits"
drawn=$(count 'pct:*,3')
((drawn >= 3)) || fail "pct without a length: $drawn of 100"
# The policy is the same on the command line.
seed=$(count 'pct:*,3,24' >/dev/null; python3 -c '
import json
print(next(k["schedule"] for k in json.load(open("all.json"))["continuations"] if k["outcome"] == "deadlock"))')
status 66 "$PF" record -o one.clip --schedule="$seed" -- ./two_locks
has err "deadlock"
for bad in pct:1 pct:1,2,0 pct:1,2,3,4 pct:1,2,x; do
    status 2 "$PF" record -o bad.clip --schedule=$bad -- ./two_locks
done
status 2 "$PF" record -o bad.clip --at=T0:1 --continue=2 --tail='often:*' --folder=c -- ./two_locks
has err "--tail=often:*: expected"
for bad in continue=abc continue=0 continue=257 first=abc first=-1; do
    status 2 "$PF" record -o bad.clip --at=T0:1 --continue=2 --tail='random:*' --folder=c --$bad -- ./two_locks
    has err "--$bad: expected a number from"
done

# --news: the clips that are kept replay; those of the same failure are few; nothing is kept twice.
n=$(count 'pos:*' --news --behaviours=seen --watch)
((n > 20)) || fail "pos: $n of 100"
python3 - <<'END'
import json, os, subprocess
all = json.load(open("all.json"))["continuations"]
kept = [k for k in all if k["clip"]]
assert len(all) == 100 and all[0]["behaviours"] > 5 and all[0]["clip"], all[0]
assert 8 <= len(kept) <= 20, len(kept)
assert all[-1]["events"] > 5 and not any(k["cut"] for k in all), all[-1]
assert sorted(os.listdir("c")) == sorted(os.path.basename(k["clip"]) for k in kept), os.listdir("c")
for k in kept[:4]:
    r = subprocess.run([os.environ["PF"], "replay", k["clip"]], capture_output=True, text=True)
    assert r.returncode == k["status"], (k, r)
END
[[ $(stat -c %s seen) == 32768 ]] || fail "the file of behaviours"
n=$(count 'pos:*' --news --behaviours=seen --watch)
python3 - <<'END'
import json
all = json.load(open("all.json"))["continuations"]
assert sum(k["behaviours"] for k in all) == 0, "the behaviours of the file are not new"
END
# Behaviours are counted at every event, also without --watch.
status 0 "$PF" record -o base.clip --at=$at --continue=20 --tail='random:*' --folder=c --news --behaviours=unwatched -- ./two_locks
status 0 "$PF" record -o base.clip --at=$at --continue=20 --tail='random:*' --folder=c --news --behaviours=watched --watch -- ./two_locks
cmp unwatched watched || fail "the behaviours depend on --watch"
echo short >seen
status 2 "$PF" record -o bad.clip --at=T0:1 --continue=2 --tail='pos:*' --folder=c --news --behaviours=seen -- ./two_locks
has err "seen: expected a file of 32768 bytes"
# From the first switch: main has started both threads, and neither has run.
at=switch
for policy in 'pos:*' 'random:*' 'few:*' 'pct:*,3,24'; do
    n=$(count "$policy" --news --watch)
    [[ $policy == few* ]] && least=1 || least=5 # few seldom chooses both threads
    ((n >= least)) || fail "$policy from the first switch: $n of 100"
    python3 - <<'END'
import json, os, subprocess
for k in [k for k in json.load(open("all.json"))["continuations"] if k["clip"]][:3]:
    r = subprocess.run([os.environ["PF"], "replay", k["clip"]], capture_output=True, text=True)
    assert r.returncode == k["status"], (k, r)
END
done
echo 'int main(void) { return 0; }' >one.c
"$PF" cc -g one.c -o one
status 0 "$PF" record -o base.clip --at=switch --continue=2 --tail='pos:*' --folder=c --json all.json -- ./one
python3 -c 'import json; assert json.load(open("all.json"))["continuations"] == []'
# With many threads, few lets a pair run before the others: a writer and the reader of 20 + 1
# threads.
"$PF" cc -g -O1 -pthread -DN=20 "$ROOT/bench/subject/explore/twostage.c" -o twostage
rm -f c/*
status 0 "$PF" record -o base.clip --at=switch --continue=256 --tail='few:*' --folder=c --news --json all.json -- ./twostage
python3 -c 'import json; n = sum(k["signal"] == 6 for k in json.load(open("all.json"))["continuations"]); assert n > 0, n'
# Other seeds, and limits of time: one millisecond may be over before the first schedule.
rm -f seen c/*
status 0 "$PF" record -o base.clip --at=T0:1 --continue=3 --tail='random:*' --first=40 --folder=c --each=10s --json all.json -- ./two_locks
python3 -c 'import json; assert [k["schedule"] for k in json.load(open("all.json"))["continuations"]] == ["random:40", "random:41", "random:42"]'
status 0 "$PF" record -o base.clip --at=T0:1 --continue=200 --tail='random:*' --folder=c --limit=1ms --json all.json -- ./two_locks
python3 -c 'import json; n = len(json.load(open("all.json"))["continuations"]); assert n < 200, n'
status 2 "$PF" record -o base.clip --each=often -- ./two_locks
