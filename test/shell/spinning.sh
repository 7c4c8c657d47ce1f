# Threads that wait for each other in a library without instrumentation, without events and without
# yielding: recorded, and replayed to the same iteration counts.
clang-19 -O1 -fPIC -shared "$ROOT/test/spinning/foreign.c" -o libforeign.so
"$PF" cc -g -O1 "$ROOT/test/spinning/spins.c" -o spins -L. -lforeign "-Wl,-rpath,$PWD"
clang-19 -g -O1 "$ROOT/test/spinning/spins.c" -o bare -L. -lforeign "-Wl,-rpath,$PWD"

for program in spins bare; do
    for how in still counting sleeping; do
        for schedule in random:1 random:2 pct:3,3; do
            status 0 "$PF" record -o spins.clip --schedule=$schedule -- ./$program $how
            has out "7, "
            mv out recorded
            for i in 1 2 3 4 5; do
                status 0 "$PF" replay spins.clip
                cmp out recorded
            done
        done
    done
done

# Under a debugger the run continues past such loops, and stops at breakpoints.
status 0 "$PF" record -o spins.clip --schedule=random:1 -- ./spins still
status 0 "$PF" replay --gdb --until T3:4 spins.clip -- -batch -ex "break give" -ex continue -ex next -ex delete -ex continue
has out "hit Breakpoint 1"
has out "exited normally"
hasnt out "received signal"

# No thread ever ends the wait: a livelock, reported with its source position. A replay reports the
# same.
status 66 "$PF" record -o never.clip -- ./spins never
has err "hang"
has err "spins in a loop without events (libforeign.so + 0x"
has err "in wait_for (spins.c:"
status 66 "$PF" replay never.clip

# A flip that holds the thread for which all others wait is infeasible. Detected with one thread
# that spins alone, with several that yield to each other, and with a loop that counts.
for how in still counting; do
    status 2 "$PF" record -o held.clip --schedule=random:1 --flip='T2:9<T1:2' -- ./spins $how
    has err "infeasible: the second event was held back"
done
cp "$ROOT/test/shell/part/spinning_alone.c" alone.c
"$PF" cc -g -O1 alone.c -o alone -L. -lforeign "-Wl,-rpath,$PWD"
for how in still counting; do
    status 2 "$PF" record -o held.clip --schedule=random:1 --flip='T0:99<T1:1' -- ./alone $how
    has err "infeasible: the second event was held back, and the first one "
done
# A flip whose first thread waits in a loop for some time, while a third one waits for input that
# does not come: the loop runs on, although nothing else can run.
cp "$ROOT/test/shell/part/spinning_outside.c" outside.c
"$PF" cc -g -O1 outside.c -o outside
mkfifo input
sleep 1000 >input 2>/dev/null &
keeps_open=$!
status 0 "$PF" record -o outside.clip --schedule=rr --flip='T2:20001<T1:1' -- ./outside <input
kill "$keeps_open"
has out 1
hasnt err infeasible
# A thread that yielded to others before, and is now alone forever: a livelock too.
status 66 "$PF" record -o alone.clip --schedule=random:1 -- ./alone still never
has err "spins in a loop without events (libforeign.so + 0x"
status 66 "$PF" replay alone.clip

# A lock written in assembly, in functions with events: no thread keeps the processor in it forever.
"$PF" cc -g -O2 "$ROOT/test/spinning/assembly.c" -o assembly
"$PF" cc -g -O1 -DPAUSING "$ROOT/test/spinning/assembly.c" -o pausing
for program in assembly pausing; do
    for schedule in rr:50 random:1 pct:3,3 pos:1; do
        status 0 "$PF" record -o assembly.clip --schedule=$schedule -- ./$program
        has out "300 44850"
        status 0 "$PF" replay assembly.clip
        has out "300 44850"
    done
done

# Assembly in a loop of C, with long counting between two reads of the lock: every read is an event.
# A thread that yielded once is not kept from running by a thread that spins with events.
cp "$ROOT/test/shell/part/spinning_backoff.c" backoff.c
"$PF" cc -g -O1 backoff.c -o backoff
for schedule in rr:50 random:1 pos:1 pos:2; do
    status 0 "$PF" record -o backoff.clip --schedule=$schedule -- ./backoff
    has out 1800
    status 0 "$PF" replay backoff.clip
    has out 1800
done
status 0 "$PF" dump -o backoff.txt backoff.clip # the same events in a replay that writes a trace

# A wait that cannot be distinguished from work continues; one SIGTERM ends it, and the replay.
"$PF" record -o secret.clip -- ./spins secretly >out 2>err &
pf=$!
for ((i = 0; i < 600; i++)); do
    target=$(cat /proc/$pf/task/*/children 2>/dev/null | tr -d ' ') # it spins: its processor time grows
    if [[ $target && $(cut -d' ' -f14 /proc/$target/stat 2>/dev/null) -gt 20 ]]; then break; fi
    sleep 0.1
done
kill -TERM $pf
got=0
wait $pf || got=$?
[[ $got == 143 ]] || fail "exit status $got"
status 143 "$PF" replay secret.clip

# A thread that yields all the time waits for a sleeping thread, however long that sleeps.
cp "$ROOT/test/shell/part/spinning_yields.c" yields.c
"$PF" cc -g yields.c -o yields
for schedule in rr random:1 pct:1,2 pos:1; do
    status 0 "$PF" record -o yields.clip --schedule=$schedule -- ./yields
    has out done
    status 0 "$PF" replay yields.clip
    has out done
done
