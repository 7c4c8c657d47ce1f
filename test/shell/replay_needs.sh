# shellcheck shell=bash disable=SC2154
# The clip has the limit of the stack: another limit would move the mappings of the program.
cp "$ROOT/test/shell/part/replay_needs_where.c" where.c
"$PF" cc -g where.c -o where
status 0 "$PF" record -o s.clip -- ./where
cp out recorded
(
    ulimit -S -s 4096
    status 0 "$PF" replay s.clip
)
cmp out recorded
