# A predicted pair of accesses has happened only if both used the same memory. Here a prediction
# pairs the free of one node with a store to another node at the same lines.
"$PF" cc -g -O2 -pthread "$ROOT/test/program/atomic/stack_ok.c" -o stack
for seed in 1 2 3 4 5 6; do
    status 0 "$PF" record -o stack.clip --schedule=random:$seed -- ./stack
    status 0 "$PF" hatch stack.clip
done
status 0 "$PF" check --runs 6 -- ./stack
has out "0 findings"
