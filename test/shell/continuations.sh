# shellcheck shell=bash disable=SC2154
# A checkpoint in the middle of a program with 8 threads and 100 MB of heap: 50 continuations with
# different seeds. Each of them is an ordinary clip that replays from the start with the same
# outcome.
cp "$ROOT/test/shell/part/continuations_eight.c" eight.c
"$PF" cc -O1 -g eight.c -o eight
mkdir more
status 0 "$PF" record -o c.clip --schedule=random:7 --at=T4:60 --continue=50 --tail='random:*' --folder=more -- ./eight
[[ $(find more -name '*.clip' | wc -l) == 50 ]] || fail "$(find more -name '*.clip' | wc -l) continuations"
outcomes=
for i in $(seq 0 49); do
    "$PF" dump --about "more/$i.clip" >about
    has about "schedule random:$i"
    want=$(sed -n 's/^end status //p' about)
    s=0
    "$PF" replay "more/$i.clip" >out 2>err || s=$?
    [[ $s == $((want / 256)) ]] || fail "more/$i.clip: replayed with status $s, recorded with $want: $(cat err)"
    outcomes+="$(cat out)"$'\n'
done
different=$(sort -u <<<"$outcomes" | wc -l)
((different > 5)) || fail "only $different outcomes"

# A signal to the process that waits for a continuation does not end the continuation.
"$PF" cc -g -O1 -pthread "$ROOT/test/shell/part/continuations_signal.c" -o signalled
mkdir one
status 0 "$PF" record -o s.clip --at=T1:1 --continue=1 --tail='rr' --folder=one -- ./signalled
"$PF" dump --about one/0.clip >about
has about "end status 0"
status 0 "$PF" replay one/0.clip
