# pf hatch: forces the predicted schedules of a recording; each confirmed finding has a clip that
# shows it again.
cp "$ROOT/test/shell/part/hatch_figure1.c" figure1.c
"$PF" cc -O1 -g figure1.c -o figure1
status 0 "$PF" record -o figure1.clip -- ./figure1
status 66 "$PF" hatch --json h.json figure1.clip
has out "data race"
has out "Consequence: the program died of signal 6"
python3 - <<'EOF'
import json
d = json.load(open("h.json"))
assert d["complete"] and d["findings"], d
for f in d["findings"]:
    assert f["status"] == "confirmed" and f["clip"], f
lines = {tuple(sorted(a["line"] for a in f["accesses"])) for f in d["findings"]}
assert (9, 17) in lines, lines
open("clips", "w").write("\n".join(f["clip"] for f in d["findings"]))
EOF
while read -r clip; do # each clip replays the same way every time
    first=0
    "$PF" replay --quiet "$clip" >/dev/null 2>&1 || first=$?
    for _ in 1 2 3 4 5; do
        again=0
        "$PF" replay --quiet "$clip" >/dev/null 2>&1 || again=$?
        [[ $again == "$first" && $again != 2 ]] || fail "$clip: status $again, then $first"
    done
done <clips

cp "$ROOT/test/shell/part/hatch_locks.c" locks.c
"$PF" cc -O1 -g '-DRIGHT=&b, &a' locks.c -o deadlock
"$PF" cc -O1 -g '-DRIGHT=&a, &b' locks.c -o ordered
status 0 "$PF" record -o deadlock.clip -- ./deadlock
status 66 "$PF" hatch -o clips.d --jobs 2 deadlock.clip
has out "WARNING: photofinish: deadlock"
has out "Consequence: deadlock"
status 66 "$PF" replay clips.d/*.clip
has err "deadlock"
status 0 "$PF" record -o ordered.clip -- ./ordered
status 0 "$PF" hatch ordered.clip
has out "0 real"

status 2 "$PF" hatch
has err "no recording given"
status 2 "$PF" hatch --jobs=none ordered.clip
has err "--jobs=none"
status 2 "$PF" hatch --jobs=-1 ordered.clip
has err "--jobs=-1: expected a number from 1"
status 2 "$PF" hatch --jobs=4294967296 ordered.clip
has err "--jobs=4294967296: expected a number from 1"
status 2 "$PF" hatch nowhere.clip
has err "nowhere.clip"

# Candidates whose schedules begin alike share one run, and have the same results as when tried one
# by one.
cp "$ROOT/test/shell/part/hatch_many.c" many.c
"$PF" cc -O0 -g many.c -o many
status 0 "$PF" record -o many.clip -- ./many
status 66 "$PF" hatch -o together --jobs 2 many.clip
mv out all
status 66 "$PF" hatch -o apart --apart many.clip
sed 's|together/|apart/|' all | cmp - out
has out "3 candidates: 3 real, of these 1 with an error; 0 false"
for clip in together/*.clip; do
    s=0
    "$PF" replay --quiet "$clip" >/dev/null 2>&1 || s=$?
    t=0
    "$PF" replay --quiet "apart/${clip##*/}" >/dev/null 2>&1 || t=$?
    [[ $s == "$t" && $s != 2 ]] || fail "$clip: status $s, tried alone $t"
done
[[ $(ls together) == "$(ls apart)" ]] || fail "different files: $(ls together)"
status 2 "$PF" hatch --limit=soon many.clip
has err "--limit=soon"

# Harm that does not end the program: a use after free. If the recording itself already has the
# error, it is not harm of the finding.
cp "$ROOT/test/shell/part/hatch_late.c" late.c
"$PF" cc -g -O1 -pthread '-DPAUSE=usleep(1000)' late.c -o late
status 0 "$PF" record -o late.clip -- ./late
status 66 "$PF" hatch --json late.json late.clip
has out "Consequence: memory error: heap-use-after-free in user (late.c:7)"
has out "1 real, of these 1 with an error"
has late.json '"harm":"memory error: heap-use-after-free'
"$PF" cc -g -O1 -pthread '-DPAUSE=(void)0' late.c -o early
status 0 "$PF" record -o early.clip -- ./early
status 66 "$PF" hatch early.clip
has out "1 real, of these 0 with an error"
