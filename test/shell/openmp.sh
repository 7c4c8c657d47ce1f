# OpenMP: synchronisation by libomp creates order, in free and in directed mode; unordered accesses
# race. If libomp is not installed, its packages are unpacked here, not installed.
flags=(-g -fopenmp)
if ! echo '#include <omp.h>' | clang-19 -fopenmp -E - >/dev/null 2>&1; then
    (apt-get download libomp5-19 libomp-19-dev || (apt-get update && apt-get download libomp5-19 libomp-19-dev)) \
        >out 2>err || { echo "skipped: libomp cannot be fetched here"; exit 77; }
    for package in ./*.deb; do dpkg-deb -x "$package" omp; done
    flags+=("-I$PWD/omp/usr/lib/llvm-19/lib/clang/19/include" "-L$PWD/omp/usr/lib/llvm-19/lib")
    export LD_LIBRARY_PATH="$PWD/omp/usr/lib/x86_64-linux-gnu"
fi
export KMP_WARNINGS=0

for level in O0 O2; do
    "$PF" cc -$level "${flags[@]}" "$ROOT/test/openmp/clean.c" -o clean
    for threads in 1 2 4; do
        OMP_NUM_THREADS=$threads ./clean >plain 2>/dev/null
        OMP_NUM_THREADS=$threads status 0 "$PF" run -- ./clean
        cmp out plain
    done
done
# Directed mode: recorded, replayed, no findings; also with tasks, which wait for each other without
# yielding.
export OMP_NUM_THREADS=3
for schedule in random:1 pos:2 pct:3,3; do
    status 0 "$PF" record -o clean.clip --schedule=$schedule -- ./clean
    mv out recorded
    status 0 "$PF" replay clean.clip
    cmp out recorded
    status 0 "$PF" record -o clean.clip --schedule=$schedule -- ./clean without-tasks
    status 0 "$PF" predict --analysis=hb,rdit clean.clip
done

"$PF" cc -O1 "${flags[@]}" "$ROOT/test/openmp/racy.c" -o racy
status 66 "$PF" run --json racy.json -- ./racy
has out "done 1"
python3 - "$ROOT/test/openmp/racy.c" <<'END'
import json, re, sys
marks = {m.group(1): n for n, line in enumerate(open(sys.argv[1]), 1) if (m := re.search(r"/\* ([A-Z]+) \*/", line))}
found = {tuple(sorted(a["stack"][0]["line"] for a in f["accesses"])) for f in json.load(open("racy.json"))["findings"]}
sites = {line for pair in found for line in pair}
wanted = {(marks["COUNTER"],) * 2, (marks["WRITTEN"], marks["READ"])}
assert wanted <= found, (wanted, found)
assert sites <= set(marks.values()), (sites, marks)
END
