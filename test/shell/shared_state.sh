# The schedules of a batch run in copies of one process. What copies share does not make a later one
# fail: shared memory, pipes, names of files.
status 0 "$PF" cc -g -O1 -pthread "$ROOT/test/shell/part/shared_state_all.c" -o all
for what in memory pipe names; do
    status 0 "$PF" check --runs 6 --state "$what" -- ./all $what
    has out "0 findings"
    hasnt out "incomplete"
done
