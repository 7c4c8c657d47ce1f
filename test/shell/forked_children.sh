# shellcheck shell=bash disable=SC2154
# Forked children are recorded: each has a clip of its own, which replays, and whose predictions can
# be tried. Only children that really were not recorded are reported as such.

for part in harness kinds threads server; do
    cp "$ROOT/test/shell/part/forked_children_$part.c" $part.c
    "$PF" cc -O1 -g $part.c -o $part
done
# Replays every clip of a recording; each must end as it did when it was recorded.
replay_all() { # CLIP
    for clip in "$1" "$1".child-*; do
        local want got=0
        want=$("$PF" dump --about "$clip" | sed -n 's/^end status \([0-9]*\) .*/\1/p')
        "$PF" replay "$clip" >out 2>err || got=$?
        hasnt err diverged
        [[ $((want & 127)) == 0 ]] && want=$((want >> 8)) || want=$((128 + (want & 127)))
        [[ $got == "$want" ]] || fail "$clip: replayed with status $got, recorded with $want"
    done
}

# A harness. An earlier recording had more children.
touch h.clip.child-9 h.clip.child-9.1
status 0 "$PF" record -o h.clip -- ./harness
has err "5 forked children have recordings of their own: h.clip.child-1 to h.clip.child-5"
hasnt err "not recorded"
has out "dies: passed"
[[ $(echo h.clip.child-*) == "h.clip.child-1 h.clip.child-2 h.clip.child-3 h.clip.child-4 h.clip.child-5" ]]
[[ ! -e $(echo h.clip.pieces-*) ]]
replay_all h.clip
status 0 "$PF" replay h.clip.child-2
has out "counts: passed" # its parent until the fork
has out "test locked"
hasnt out "locked: passed"
has err "the program started other processes (1)" # the first test
status 0 "$PF" replay h.clip.child-1
hasnt err "other processes"
status 66 "$PF" predict h.clip.child-1
has out "data race in child 1"
has out "count harness.c"
status 0 "$PF" predict h.clip.child-2
status 66 "$PF" hatch h.clip.child-5 -o hatched
has out "set_last harness.c"
for clip in hatched/*.clip; do
    status 0 "$PF" replay "$clip"
    has err "shown: the race"
    has out "test late"
done

# Everything that a child may do.
for schedule in rr random:1 pos:2; do
    status 0 env FORKED_CHILDREN=yes "$PF" record --schedule=$schedule -o k.clip -- ./kinds
    hasnt out "exit 77"
    has out "clone with a stack: exit"
    has out "closed descriptors: exit"
    has out "alarm: signal 14"
    has out "forks and executes: exit 0"
    has err "14 forked children have recordings of their own: k.clip.child-2 to k.clip.child-15.1"
    has err "the program started other processes (4), which are not recorded"
    replay_all k.clip
    status 0 "$PF" dump --about k.clip.child-15.1
    has out "child 15.1"
    for clip in k.clip.child-{2,6,8,10,14,15.1}; do
        status 66 "$PF" predict "$clip"
    done
done

# Threads run while others fork: they are ordered before the child.
for schedule in rr random:1 random:2 pct:3,3; do
    status 0 "$PF" record --schedule=$schedule -o t.clip -- ./threads
    has out "child: 2"
    replay_all t.clip
    for clip in t.clip t.clip.child-*; do
        status 0 "$PF" predict --analysis=hb,mc "$clip"
    done
done
[[ -e t.clip.child-1.1 && -e t.clip.child-2.1 ]]

# A server that forks its workers.
status 0 "$PF" record -o s.clip -- ./server
has out "sum 380, failed 0"
replay_all s.clip
status 66 "$PF" predict s.clip.child-2
has out "serve server.c"

# A child that outlives the program: its clip is cut.
mkfifo gate
status 7 "$PF" record -o l.clip -- sh -c 'read x <gate & exit 7'
has err "child 1 still runs; its recording ends here"
hasnt err "not recorded"
echo x >gate # it ends
status 0 "$PF" dump --about l.clip.child-1
has out "cut "

# pf check searches the recordings of children, also for memory errors. The death that a test
# expects is not a finding.
status 66 "$PF" check --runs 1 --time 100s --state state -- ./harness
has out "3 findings: 3 confirmed"
has out "in count"
has out "in set_last"
has out "data race in child 1"
has out "data race in child 5"
has out "access outside of a heap block in child 3"
hasnt out "not recorded"
hasnt out "crash"
hasnt out "complete for this input" # the schedules of children are not searched
for clip in state/check/*/clips/*/*.clip; do
    status 0 "$PF" replay "$clip"
    has err "shown: the race"
done

# The death of a child that its parent expects is not a finding, even if the program fails in some
# runs for another reason. First the free run fails, then every recording.
cp "$ROOT/test/shell/part/forked_death.c" .
"$PF" cc -g forked_death.c -o forked_death
for before in "" xx; do
    printf %s "$before" >runs
    rm -rf death
    status 0 "$PF" check --runs 2 --seed 1 --time 100s --state death -- ./forked_death
    has out "not explored: a child process"
    hasnt out incomplete
    sed -n 's/.*"kind":"\(run\|record\)","test":0,"round":.,"schedule.*"wait":\([0-9]*\),.*/\1 \2/p' \
        death/check/*/journal >ends${#before}
done
[[ $(cat ends0) == $'record 0\nrun 256\nrun 0' ]] || fail "$(cat ends0)"
[[ $(cat ends2) == $'record 256\nrun 0\nrecord 256\nrun 0' ]] || fail "$(cat ends2)"

# The program fails in every run: nothing shows that it expects the death.
printf x >runs
status 66 "$PF" check --runs 1 --time 100s --state every -- ./forked_death
has out "crash in child 1"
has out "1 finding: 1 confirmed"
has out "the program ended with status 1 in every free run and recording"

# pf suite: the program expects the death in the later runs, so that it is not a finding of the
# first two, which fail.
printf x >runs
status 1 "$PF" suite --repeat 4 --state death.suite -- ./forked_death
has out "0 findings in 4 executions of 1 test: 2 passed, 2 failed"
status 0 "$PF" report --state death.suite
has out "0 findings"
