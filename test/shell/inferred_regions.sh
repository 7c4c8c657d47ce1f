# Atomic regions that are inferred from locks. The programs of test/program/region test which
# violations count.
# A violation that gives the result of a serial order is reported, but does not count.
cp "$ROOT/test/shell/part/inferred_regions_stock.c" stock.c
for level in O0 O2; do
    "$PF" cc -$level -g stock.c -o stock -pthread
    status 0 "$PF" record -o stock.clip -- ./stock
    rm -rf stock.clip.hatched
    status 0 "$PF" hatch --json stock.json stock.clip
    has out "Suspicious: not shown to matter (a serial order of the two regions gives the same result)"
    has stock.json '"status":"confirmed"'
    has stock.json '"counts":false'
    status 0 "$PF" check --runs 2 --state check.$level -- ./stock
    has out "0 findings, and 1 suspicious (not shown to matter)"
    status 0 "$PF" predict --analysis=pecan --json all.json stock.clip
    has all.json '"evidence":"inferred"'
    rm -rf stock.clip.hatched
    status 0 "$PF" hatch all.json
    has out "1 only suspicious"
done
# A region that the user named counts, whatever its result.
status 66 "$PF" hatch --atomic=sell -o named stock.clip
hasnt out "Suspicious"
# Both regions write the same value. If the one in between has not read it, every read sees the value
# of a serial order, and there is no anomaly.
cp "$ROOT/test/program/region/idempotent_ok.c" flag.c
for level in O0 O2; do
    "$PF" cc -$level -g flag.c -o flag -pthread
    "$PF" cc -$level -g -DREADS flag.c -o reads -pthread
    for name in flag reads; do
        status 0 "$PF" record -o $name.clip -- ./$name
        status 0 "$PF" hatch -o $name.$level $name.clip
        mv out $name.out
    done
    hasnt flag.out "Suspicious"
    has flag.out "a serial order of the two regions gives the same result"
    has reads.out "Suspicious: not shown to matter (a serial order of the two regions gives the same result)"
done
