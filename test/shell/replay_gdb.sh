# shellcheck shell=bash disable=SC2154
# pf replay --gdb: the threads of the target become kernel threads at the requested point.

cp "$ROOT/test/shell/part/replay_gdb_four.c" four.c
"$PF" cc -O0 -g four.c -o four
status 5 "$PF" record -o four.clip -- ./four
status 66 "$PF" hatch -o clips --json h.json four.clip
clip=$(python3 - <<'EOF'
import json
for f in json.load(open("h.json"))["findings"]:
    a, b = f["accesses"][:2]
    if {a["line"], b["line"]} == {20, 35}:
        print(f["clip"])
        break
EOF
)
[[ -n $clip ]] || fail "no clip of main's race"
status 5 "$PF" replay "$clip"
cp out whole
for fd in "" 0 abc -1 2147483648; do
    status 2 "$PF" replay --gdb --tell="$fd" "$clip"
    has err "--tell"
done
status 2 "$PF" replay --tell=1 "$clip"
has err "--tell needs --gdb"
status 2 "$PF" replay --atomic=main "$clip"
has err "--atomic needs --trace"

# At the race: the thread of the second access is about to make it, the first access is done; every
# thread has its name, its stack and its thread-local variables.
gdb() { status "$1" "$PF" replay --gdb "${@:2}"; }
gdb 0 --until race "$clip" -- -batch -ex 'printf "here %d\n", $_thread' -ex 'info threads' \
    -ex 'thread apply all -q -s bt' -ex 'thread apply all -q print mine' -ex 'print shared'
grep -qE '^#0 .*(writes|main) .*four.c:(20|35)' out || fail "not at the access"
# It says which access that is, and where the thread of the other one stands.
grep -qxE 'photofinish: stopped before T[0-9]+:[0-9]+, the second access of the race' out || fail "which access?"
grep -qxE 'photofinish: the first one, T[0-9]+:[0-9]+, was made by thread [0-9], which is now in (writes|main) at .*four.c:[0-9]+' out || fail "where is the other thread?"
for name in four waiter-0 waiter-1 left right; do
    has out "\"$name\""
done
[[ $(grep -cE '^ *\*? *[1-5] +Thread 0x[0-9a-f]+ \(LWP [0-9]+\)' out) == 5 ]] || fail "expected five threads"
[[ $(grep -E '^\$[0-9]+ = ' out | head -5 | sed 's/.*= //' | sort -n | tr '\n' ' ') =~ ^(0\ )*7\ 100\ 101\  ]] || fail "wrong thread-local variables"
[[ $(grep -cE 'waits .*four.c:13$' out) == 2 ]] || fail "expected two waiting threads"
hasnt out "scheduler.c"
hasnt out "sum "

# The run continues from there as recorded, to the same end.
gdb 0 "$clip" -- -batch -ex 'print shared' -ex next -ex 'print shared' -ex continue
has out "$(cat whole)"
has out "exited with code 05"
# Options may follow the clip. Another point: the end of main, where only main is left.
gdb 0 four.clip -- -batch -ex 'info threads'
has out "(LWP"
has out "exit"
status 0 "$PF" replay four.clip --gdb --until T0:1 -- -batch -ex bt -ex 'info threads'
has out "main () at four.c:28"
[[ $(grep -c LWP out) == 1 ]] || fail "expected only main"
# A point that is never reached.
gdb 0 four.clip --until T9:1 -- -batch -ex 'info threads'
has err "the event of --until was not reached"

status 2 "$PF" replay --until race four.clip
has err "is not the clip of a race"
status 2 "$PF" replay --until T0:0 four.clip
has err "--until: expected an event such as T2:137"
has err "four.clip: ended with status 2, but the recording with status 5"
status 2 "$PF" replay four.clip other.clip
has err "give only one clip"
mkdir bin
ln -s "$(command -v env)" bin/env
PATH=$PWD/bin status 2 "$PF" replay --gdb four.clip
has err "Debian package gdb"

# A deadlock: without a point, gdb shows where each thread waits. A fault: gdb shows where it is.
cp "$ROOT/test/shell/part/replay_gdb_dead.c" dead.c
"$PF" cc -g dead.c -o dead
status 66 "$PF" record -o d.clip --flip='T1:1<T0:3' -- ./dead
status 0 "$PF" replay --until race d.clip
gdb 0 d.clip -- -batch -ex 'thread apply all bt'
has out "f (x=0x0) at dead.c:6"
has out "at dead.c:16"
status 139 "$PF" record -o c.clip -- ./dead 1
gdb 0 c.clip -- -batch -ex continue
has out "SIGSEGV"
has out "dead.c:14"

# Stepping from the point on is left to the debugger, and the runtime's timer tick does not disturb
# it.
cp "$ROOT/test/shell/part/replay_gdb_steps.c" steps.c
"$PF" cc -O0 -g steps.c -o steps
status 0 "$PF" record -o steps.clip -- ./steps
gdb 0 --until T1:1 steps.clip -- -batch -ex next -ex next -ex step -ex 'bt 1' -ex finish -ex continue
grep -qE '^#0 .*adds .*steps.c:9' out || fail "three steps do not lead to the end of the function"
has out "exited normally"
hasnt out "on_fault"
hasnt out "received signal"
