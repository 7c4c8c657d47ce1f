# The smallest racy programs: two threads that start together and access a fresh word at the same
# instant. On purpose nothing orders them here; the race must be found in every run.
cp "$ROOT/test/shell/part/first_race_first.c" first.c
for body in 'x++' 'x'; do
    "$PF" cc -O2 -pthread -DBODY="$body" first.c -o first
    for run in {1..30}; do
        status 66 "$PF" run -- ./first
        has err "data race"
    done
done
