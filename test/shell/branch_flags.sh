# Dependence flags in a recording: reads that decided nothing need not keep their value, so that
# more races are predicted; nothing is predicted against reads that decided something. Every witness
# is run.
cp "$ROOT/test/shell/part/branch_flags_flags.c" flags.c
for level in O0 O2; do
    "$PF" cc -$level -g '-DUSE=y = 2' flags.c -o free
    "$PF" cc -$level -g '-DUSE=if (copy) y = 2' flags.c -o decided
    "$PF" cc -$level -g '-DUSE=table[copy] = 2, y = 2' flags.c -o address
    "$PF" cc -$level -g '-DUSE=table[1] = 8 / copy, y = 2' flags.c -o trap
    status 0 "$PF" record --trace -o free.clip -- ./free
    status 66 "$PF" predict free.clip
    has out "predict: 1 race (witnessed)"
    rm -rf free.clip.hatched
    status 66 "$PF" hatch free.clip # the run along the witness shows the race
    has out "flags.c:18"
    has out "; 0 false"
    for _ in 1 2 3; do
        status 0 "$PF" replay --quiet free.clip.hatched/*.clip
    done
    status 0 "$PF" dump -o free.txt free.clip
    status 66 "$PF" predict free.txt
    sed 's/?//' free.txt >plain.txt # the same trace without the flags proves no race
    status 0 "$PF" predict plain.txt
    for twin in decided address trap; do
        status 0 "$PF" record --trace -o $twin.clip -- ./$twin
        status 0 "$PF" predict $twin.clip
        has out "predict: 0 races (witnessed)"
    done
done
