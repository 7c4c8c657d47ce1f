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

# libunwind, and so tcmalloc, writes a byte of memory into a pipe of its own, made before the
# runtime starts. The byte is of dead stack memory, which differs in a replay.
"$PF" cc -g -O0 -pthread -DGIVEN_PIPE "$ROOT/test/program/record/probed_memory.c" -o probe
mkfifo pipe
(
    exec 3<>pipe 4>&3
    status 0 "$PF" record -o probe.clip -- ./probe
    status 0 "$PF" replay probe.clip
    status 0 "$PF" replay --trace traced.clip probe.clip
)
