# Subjects of bench/subject: every finding happens again in each replay; the race-free twins have no
# findings.
for name in account stringbuf treeset; do
    "$PF" cc -O0 -g "$ROOT/bench/subject/$name.c" -o $name
    "$PF" cc -O0 -g -DTWIN "$ROOT/bench/subject/$name.c" -o $name.twin
    status 0 "$PF" record -o $name.clip -- ./$name
    status 66 "$PF" hatch -o $name.d $name.clip
    if grep '^false: ' out | grep -v 'not meant to be atomic together'; then
        fail "$name: a candidate did not happen"
    fi
    for clip in $name.d/*.clip; do
        first=0
        "$PF" replay --quiet "$clip" >/dev/null 2>&1 || first=$?
        for _ in 1 2 3; do
            again=0
            "$PF" replay --quiet "$clip" >/dev/null 2>&1 || again=$?
            [[ $again == "$first" && $again != 2 ]] || fail "$clip: status $again, then $first"
        done
    done
    status 0 "$PF" record -o twin.clip -- ./$name.twin
    status 0 "$PF" hatch -o twin.d twin.clip
    has out "hatch: 0 candidates"
done

# The larger ones: something happens, and nothing in the twins.
for name in business:rr:1000 database:rr:1000 httpd:rr:40 spider:rr:100 topics:rr:1000; do
    schedule=${name#*:} name=${name%%:*}
    "$PF" cc -O0 -g "$ROOT/bench/subject/$name.c" -o "$name"
    "$PF" cc -O0 -g -DTWIN "$ROOT/bench/subject/$name.c" -o "$name.twin"
    status 0 "$PF" record "--schedule=$schedule" -o "$name.clip" -- "./$name"
    status 66 "$PF" hatch -o "$name.d" "$name.clip"
    status 0 "$PF" record "--schedule=$schedule" -o twin.clip -- "./$name.twin"
    status 0 "$PF" hatch -o twin.d twin.clip
    has out "hatch: 0 candidates"
done
