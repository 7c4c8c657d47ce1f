# shellcheck shell=bash disable=SC2154
# A lock that is initialised while it is held: the misuse is reported, and the rest is predicted.

cp "$ROOT/test/shell/part/lock_misuse_again.c" again.c
for level in -O0 -O2; do
    "$PF" cc -g $level again.c -o again
    status 0 "$PF" record -o a.clip -- ./again
    has err "a lock is initialised or destroyed by the thread that holds it"
    has err "again.c:10"
    status 66 "$PF" predict a.clip
    hasnt err inconsistent
    status 0 "$PF" record -o b.clip -- ./again other
    status 66 "$PF" predict b.clip
    has err "a lock is used wrongly, only the events before are analysed"
done

# A wait with a mutex that the thread does not hold.
cp "$ROOT/test/shell/part/lock_misuse_wait.c" wait.c
"$PF" cc -g -O1 wait.c -o wait
status 0 "$PF" record -o w.clip -- ./wait
status 66 "$PF" predict w.clip
