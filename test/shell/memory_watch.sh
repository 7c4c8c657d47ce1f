# shellcheck shell=bash disable=SC2154
# Directed runs find invalid accesses to heap memory, while recording and in replays, and have no
# false alarms.
cp "$ROOT/test/shell/part/memory_watch_heap.c" heap.c
"$PF" cc -O1 -g -fno-inline heap.c -o heap
status 0 "$PF" record --watch -o ok.clip -- ./heap 0
hasnt err photofinish
status 0 "$PF" replay --watch ok.clip

check() { # number, kind, the accesses as op:line
    status 66 "$PF" record --watch --log "log$1" -o "$1.clip" -- ./heap "$1"
    has out "goes on"
    has err "$2"
    mv err recorded
    status 66 "$PF" replay --watch "$1.clip"
    has out "goes on"
    has err "$2"
    status 66 "$PF" report --json --state "log$1" -o "$1.json"
    python3 - "$1.json" "$3" "$4" <<'P'
import json, sys
f, = json.load(open(sys.argv[1]))["findings"]
got = " ".join(f"{a['op']}:{next(x['line'] for x in a['stack'] if x.get('line'))}" for a in f["accesses"])
assert (f["kind"], got) == (sys.argv[2], sys.argv[3]), (f["kind"], got)
assert f["status"] == "observed" and len(f["id"]) == 16, f
P
}
check 1 "heap-use-after-free" use-after-free "free:8 read:9"
check 2 "outside of a heap block" heap-overflow "alloc:7 write:10"
check 3 "outside of a heap block" heap-overflow "alloc:7 read:11"
check 4 "heap-use-after-free" use-after-free "free:8 write:46"
check 5 "outside of a heap block" heap-overflow "alloc:7 write:47"
check 6 "freed twice" double-free "free:8 free:8"
check 7 "by thread T1" use-after-free "free:8 read:9"
check 8 "outside of a heap block" heap-overflow "alloc:50 read:50"
check 9 "freed twice" double-free "free:8 free:51"

# Recorded without --watch: schedule and memory are the same in a replay, so a replay finds the
# error.
status 0 "$PF" record -o plain.clip -- ./heap 1
status 66 "$PF" replay --watch plain.clip
has err "heap-use-after-free in after (heap.c:9)"
# Double frees are always detected.
status 66 "$PF" record -o plain.clip -- ./heap 6

# Blocks of an allocator that the program provides have no red zones: nothing is reported.
cp "$ROOT/test/shell/part/memory_watch_own.cpp" own.cpp
"$PF" c++ -O0 -g own.cpp -o own
status 0 "$PF" record --watch -o own.clip -- ./own

# The child of a recorded program is not directed; its blocks are where the parent's red zones were.
cp "$ROOT/test/shell/part/memory_watch_child.c" child.c
"$PF" cc -O1 -g -fno-builtin child.c -o child
for watch in "" --watch; do
    status 0 "$PF" record ${watch:+$watch} -o child.clip -- ./child
    hasnt err WARNING
done
