# Round robin starves no thread: a loop whose length divides the slice would hold its lock at the
# end of every slice; and threads that wait for a byte in a pipe are woken in the order in which
# they started to wait.
cp "$ROOT/test/shell/part/round_robin_lock.c" lock.c
"$PF" cc -g -O1 lock.c -o lock -pthread
for how in mutex pipe; do
    for slice in 1 2 3 4 5 6 7 8 10 14 50; do
        status 0 timeout 60 "$PF" record -o lock.clip --schedule=rr:$slice -- ./lock $how
        has out "1"
    done
    status 0 "$PF" replay lock.clip
    has out "1"
done
