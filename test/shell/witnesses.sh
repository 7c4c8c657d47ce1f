# Witnessed races come true, and their clips show them again: a few programs; all of them are for
# test/run/witnesses.py, with 20 replays each.
p=$ROOT/test/program
status 0 python3 "$ROOT/test/run/witnesses.py" --pf "$PF" --work w --replays 2 "$p/basic/plain_4_racy.c" \
    "$p/basic/part_8_over_1_racy.c" "$p/sync/rwlock_read_racy.c" "$p/misc/function_pointer_racy.c"
has out "4 of 4 witnessed races reached"
