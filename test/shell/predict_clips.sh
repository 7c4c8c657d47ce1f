# pf predict --clips: the witness of each race is run, and every replay of its clip stops at the
# race. --events: the result of an analysis of a part is marked incomplete.
cp "$ROOT/test/shell/part/predict_clips_two.c" two.c
status 0 "$PF" cc -g -O1 -o two two.c -pthread
status 0 "$PF" record --schedule=random:1 -o two.clip -- ./two
status 66 "$PF" predict --clips clips --json two.json two.clip
has out "The witness was run; replay it with: pf replay --until race clips/"
python3 - <<'EOF'
import json
d = json.load(open("two.json"))
assert d["complete"] is True and d["findings"], d
with open("names", "w") as f:
    for r in d["findings"]:
        assert r["status"] == "predicted" and r["clip"].startswith("clips/"), r
        f.write(r["clip"] + "\n")
EOF
while read -r clip; do
    for _ in 1 2 3; do
        status 0 "$PF" replay --until race "$clip"
        has err "pf replay: stopped before T"
    done
done <names
status 2 "$PF" predict --clips clips "$ROOT/test/trace/basic/style.txt"
has err "--clips needs a recording"
status 0 "$PF" predict --events 4 --json part.json two.clip
has err "two.clip: only its first "
grep -q '"complete":false' part.json || exit 1
status 2 "$PF" predict --events 0 two.clip
has err "--events=0: expected a number from 1 to 100000000"
