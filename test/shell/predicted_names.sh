# A finding that only a prediction saw is described like one that a free run saw: memory, locks,
# threads, stacks and object files.
for level in -O0 -O2; do
    "$PF" c++ -g $level -pthread "$ROOT/test/shell/part/predicted_names_all.cpp" -o all
    status 66 "$PF" run --quiet --json observed.json -- ./all
    status 0 "$PF" record -o all.clip -- ./all
    status 66 "$PF" predict --json predicted.json all.clip
    status 0 python3 "$ROOT/test/run/same_names.py" observed.json predicted.json
    has out "5 findings are the same: global global heap stack tls"
    python3 "$ROOT/test/run/schema.py" "$ROOT/docs/format/findings.schema.json" predicted.json
    status 66 "$PF" predict all.clip
    has out "(mutexes: write M0)"
    has out "Location is heap block of size 56 at"
    has out "'shop::guard+0x28'"
    has out "Thread T1 'sells' (tid="
    has out "'looks' (tid="
    hasnt out "(tid=0"
done
# Accesses that the optimiser merged name all their lines.
cp "$ROOT/test/shell/part/merged_lines_merged.c" merged.c
status 0 "$PF" cc -O2 -pthread -I"$ROOT/test/program" merged.c -o merged
status 66 "$PF" run --quiet --json observed.json -- ./merged
status 0 "$PF" record -o merged.clip -- ./merged
status 66 "$PF" predict --json predicted.json merged.clip
has predicted.json '"merged_lines":[8]'
status 0 python3 "$ROOT/test/run/same_names.py" observed.json predicted.json
hasnt out "^0 findings"
# Two locks of the same name, in two files, are two locks.
for file in 1 2; do
    { echo "#define CHANGE change$file"; cat "$ROOT/test/shell/part/predicted_names_lock.c"; } >lock$file.c
done
cp "$ROOT/test/shell/part/predicted_names_main.c" main.c
"$PF" cc -g -O0 -pthread main.c lock1.c lock2.c -o locks
status 0 "$PF" record -o locks.clip -- ./locks
status 66 "$PF" predict locks.clip
has out "predict: 1 race"
