# pf hunt: what it keeps, how it continues, and what it refuses. bench/subject/hunt has the programs
# whose races it must find (run/hunt.py).
part="$ROOT/test/shell/part"
"$PF" cc --symbolic -g -O1 "$part/hunt_file.c" -o reader -pthread
echo "nothing of interest" >in.txt
cp in.txt before.txt

# The race needs another file. The user's file is not changed; the new one is a copy.
status 66 "$PF" hunt --json out.json --export corpus --runs 40 -- ./reader in.txt
has out "data race"
has out "replay it with: pf replay $PWD/.photofinish/hunt/clips/"
cmp in.txt before.txt || fail "the user's file was changed"
status 0 python3 "$ROOT/test/run/schema.py" "$ROOT/docs/format/findings.schema.json" out.json
python3 - <<'EOF'
import json, os, subprocess
d = json.load(open("out.json"))
f = d["findings"][0]
assert f["kind"] == "race" and f["status"] == "confirmed", f
folder, command = f["input"]["folder"], f["input"]["command"]
assert open(folder + "/file:in.txt", "rb").read().startswith(b"go7"), os.listdir(folder)
assert subprocess.run(["sh", "-c", command], stdout=subprocess.PIPE, text=True).stdout.strip() in ("0", "1")
assert any(open("corpus/file:in.txt/" + n, "rb").read().startswith(b"go7") for n in os.listdir("corpus/file:in.txt"))
h = d["hunt"]
assert h["races"][0]["id"] == f["id"] and h["runs"] <= 40 and h["solver"]["failed"] == 0, h
assert h["solver"]["followed"] > 0 and h["solver"]["wrong"] == 0, h
EOF
status 0 "$PF" replay --quiet .photofinish/hunt/clips/*.clip

# A hunt that was stopped continues: one session makes too few runs, several together find the race.
rm -rf .photofinish
found=no
for _ in 1 2 3 4 5 6 7 8; do
    "$PF" hunt --runs 3 -- ./reader in.txt >out 2>err && continue
    grep -q "data race" out && found=yes && break
    fail "$(cat err)"
done
[[ $found == yes ]] || fail "the race was not found in eight sessions of three runs"
[[ $(ls .photofinish/hunt/runs | wc -l) == 0 ]] || fail "recordings were left behind"

# Inputs to start from.
rm -rf .photofinish
mkdir -p inputs/one
echo "go7" >"inputs/one/file:in.txt"
status 66 "$PF" hunt --runs 2 --corpus inputs -- ./reader in.txt
has out "Found in phase 1"
status 2 "$PF" hunt --corpus nowhere -- ./reader in.txt
has err "nowhere: No such file"

# Without the solver there is only the given input; without other schedules, only what runs show.
rm -rf .photofinish
status 0 "$PF" hunt --runs 8 --without solver,changes --json out.json -- ./reader in.txt
grep -q '"inputs":1,' out.json || fail "another input was tried: $(cat out.json)"
rm -rf .photofinish
status 0 "$PF" hunt --runs 40 --without improve,changes -- ./reader in.txt
status 2 "$PF" hunt --without solver,magic -- ./reader in.txt
has err "--without=solver,magic: expected improve, solver or changes"

# What it refuses.
"$PF" cc -g -O1 "$part/hunt_file.c" -o ordinary -pthread
status 2 "$PF" hunt -- ./ordinary in.txt
has err "symbolic"
status 2 "$PF" hunt
has err "no program given"
status 2 "$PF" hunt -- ./missing
has err "missing"
status 2 "$PF" hunt --runs x -- ./reader in.txt
has err "--runs=x: expected a number from 1"
status 2 "$PF" hunt --runs=-1 -- ./reader in.txt
has err "--runs=-1: expected a number from 1"
status 2 "$PF" hunt --input nonsense -- ./reader in.txt
has err "nonsense"
