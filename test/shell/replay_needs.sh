# shellcheck shell=bash disable=SC2154
# Everything that a replay needs is in the clip: --watch, the limit of the stack. A jump out of the
# handler of a fault replays, also when every event is traced.

cp "$ROOT/test/shell/part/replay_needs_beyond.c" beyond.c
cp "$ROOT/test/shell/part/replay_needs_jump.c" jump.c
for level in -O0 -O1 -O2; do
    "$PF" cc -g $level beyond.c -o beyond
    status 66 "$PF" record --watch -o w.clip -- ./beyond
    status 66 "$PF" replay w.clip
    has err "outside of a heap block"
    status 0 "$PF" record -o w.clip -- ./beyond
    status 66 "$PF" replay --watch w.clip

    "$PF" cc -g $level jump.c -o jump
    for arguments in "" repair; do
        for policy in rr:1000 rr:1 random:1 pos:1; do
            # shellcheck disable=SC2086
            status 3 "$PF" record -o j.clip --schedule=$policy -- ./jump $arguments
            cp out recorded
            status 3 "$PF" replay j.clip
            cmp out recorded
            status 0 "$PF" dump -o events.txt j.clip
            hasnt err diverged
            status 3 "$PF" replay --watch j.clip
        done
    done
done

# Another limit of the stack moves the mappings of the program.
cp "$ROOT/test/shell/part/replay_needs_where.c" where.c
"$PF" cc -g where.c -o where
status 0 "$PF" record -o s.clip -- ./where
cp out recorded
(
    ulimit -S -s 4096
    status 0 "$PF" replay s.clip
)
cmp out recorded
