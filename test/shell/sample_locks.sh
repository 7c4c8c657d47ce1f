# Locks that are taken repeatedly while nothing is watched, by threads with equal clocks, are cheap
# (lock_unwatched.h). They still create order, also through other locks and other threads, and no
# more order than they should.
cp "$ROOT/test/shell/part/sample_locks_order.c" order.c
status 0 "$PF" cc -g -O2 -I"$ROOT/test/program" -o order order.c -pthread
for policy in full literace atexrace cross; do
    # o: first releases m, second acquires m and releases n, third acquires n: ordered.
    status 0 "$PF" run --sample=$policy --state "st-$policy" -- ./order o
    # r: first releases m before its access. n: second does not take m. Both are races.
    for mode in r n; do
        status 66 "$PF" run --sample=$policy --state "st-$policy" -- ./order $mode
        has err "#0 touch"
        has err "#1 first"
        has err "#1 third"
    done
done
