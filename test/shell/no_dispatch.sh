# A kernel without syscall user dispatch: a seccomp filter replaces it. Here another filter hides
# the dispatch.
cp "$ROOT/test/shell/part/no_dispatch_without.c" without.c
clang-19 without.c -o without
./without /bin/true || { echo "skipped: no seccomp here"; exit 77; }
cp "$ROOT/test/shell/part/no_dispatch_turns.c" turns.c
cp "$ROOT/test/shell/part/no_dispatch_forks.c" forks.c
"$PF" cc -g -O1 turns.c -o turns
clang-19 -g -O1 turns.c -o bare
"$PF" cc -g -O1 forks.c -o forks

for program in turns bare; do
    for schedule in random:1 pct:2,3; do
        status 5 ./without "$PF" record -o turns.clip --schedule=$schedule -- ./$program
        has out "thread 2"
        mv out recorded
        status 5 ./without "$PF" replay turns.clip
        cmp out recorded
        status 5 "$PF" replay turns.clip # also with dispatch
        cmp out recorded
    done
done

# Children keep the filter and are not directed.
status 0 ./without "$PF" record -o forks.clip -- ./forks
has out "ok 3"
status 0 ./without "$PF" replay forks.clip
has out "ok 3"
