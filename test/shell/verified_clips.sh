# The command that shows a finding again is run once, from scratch, before it is printed. A finding
# whose clip does not replay is observed, with the reason, and has no clip.
grep -qw rdrand /proc/cpuinfo || exit 0 # the only input that a recording does not contain
cp "$ROOT/test/shell/part/verified_clips_early.c" early.c
"$PF" cc -g -O1 -pthread early.c -o early
status 0 "$PF" record -o early.clip -- ./early
# The recording itself shows the race; a file of candidates makes pf hatch look at the tries alone.
status 66 "$PF" predict --json early.json early.clip
for again in 1 2; do
    status 66 "$PF" hatch --json hatch.json -o clips early.json
    has out "Happened once, not confirmed: its replay diverged: "
    [[ $(ls clips | wc -l) == 1 ]] || fail "a clip that does not replay is left: $(ls clips)"
    status 0 "$PF" replay clips/*.clip
done
status 0 python3 "$ROOT/test/run/schema.py" "$ROOT/docs/format/findings.schema.json" hatch.json
python3 - <<'END2'
import json
found = {f["accesses"][0]["variable"].split(":")[0]: f for f in json.load(open("hatch.json"))["findings"]}
assert found["last"]["status"] == "confirmed" and found["last"]["clip"], found
f = found["ready"]
assert f["status"] == "observed" and f["clip"] is None, f
assert f["unconfirmed"].startswith("its replay diverged: "), f
END2
# With the recording, that race has a clip that replays: the recording.
status 66 "$PF" hatch --json whole.json -o clips early.clip
python3 - <<'END2'
import json
f = {f["accesses"][0]["variable"].split(":")[0]: f for f in json.load(open("whole.json"))["findings"]}["ready"]
assert f["status"] == "confirmed" and f["clip"] == "early.clip", f
END2
# Witnesses: the order whose clip does not replay is not used.
status 66 "$PF" predict --clips witness early.clip
for clip in witness/*.clip; do
    status 0 "$PF" replay "$clip"
done
# The recording shows the race too, and does replay.
status 66 "$PF" predict --analysis=hb --verify --json look.json early.clip
python3 - <<'END2'
import json
for f in json.load(open("look.json"))["findings"]:
    assert f["status"] == "confirmed" and f["clip"] == "early.clip" and "unconfirmed" not in f, f
END2
# Every command that pf check prints shows what it recorded.
status 66 "$PF" check --runs 1 --state s -- ./early
has out "2 findings: 2 confirmed"
while read -r clip; do
    status 0 "$PF" replay "$clip"
done < <(sed -n 's/.*See it again, every time: pf replay //p' out)
