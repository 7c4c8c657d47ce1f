# pf hatch FILE tries exactly the candidates that pf predict --json wrote.
for name in account critical; do
    "$PF" cc -O0 -g "$ROOT/bench/subject/$name.c" -o $name
    status 0 "$PF" record -o $name.clip -- ./$name
    status 66 "$PF" hatch -o all.d --json all.json $name.clip
    status 66 "$PF" predict --analysis=rdit,pecan,deadlock --json $name.json $name.clip
    python3 "$ROOT/test/run/schema.py" "$ROOT/docs/format/findings.schema.json" $name.json
    status 66 "$PF" hatch $name.json --jobs 2 -o all.d --json out.json
    # The same candidates. Of a recording, the races that it shows itself are findings too.
    python3 - <<'EOF'
import json
of = lambda file: json.load(open(file))
def verdicts(d):
    return {f["id"]: (f["status"], f["tries"], f.get("harm")) for f in d["findings"] if "all.d/" in f["clip"]}
whole, file = of("all.json"), of("out.json")
assert verdicts(file) and verdicts(whole) == verdicts(file), (verdicts(whole), verdicts(file))
assert len(verdicts(file)) == len(file["findings"])
assert whole["explored"]["candidates"] == file["explored"]["candidates"]
recorded = len(whole["findings"]) - len(file["findings"])
assert whole["explored"]["refuted"] + recorded == file["explored"]["refuted"]
EOF
done

# A part of the candidates; from another folder, with options after the file.
python3 - <<'EOF'
import json
d = json.load(open("account.json"))
d["schedules"] = [s for s in d["schedules"] if s["pattern"] == "unrepeatable-read" or s["pattern"] == "stale-read-written"]
assert d["schedules"]
json.dump(d, open("some.json", "w"))
open("n", "w").write(str(len({s["id"] for s in d["schedules"]})))
EOF
mkdir elsewhere
cd elsewhere
status 66 "$PF" hatch ../some.json
has out "hatch: $(cat ../n) candidates: $(cat ../n) real"
cd ..
[[ $(ls some.json.hatched | wc -l) == $(cat n) ]] || fail "clips: $(ls some.json.hatched)"

# Races of other analyses have no schedule in the file; pf hatch searches for one. A user's pattern,
# also together with a recording.
status 66 "$PF" predict --analysis=hb --json hb.json critical.clip
has out "hb: "
status 66 "$PF" hatch hb.json
has out " real"
cat >own.pattern <<'END'
pattern third-writes
  kind atomicity
  E e1 - e2 - e3   T t1 - t2 - t1   SV s - s - s   AR u - v - w   AT w - w - r
END
status 66 "$PF" predict --patterns own.pattern --json own.json account.clip
has out "Pattern third-writes"
status 66 "$PF" hatch own.json
status 66 "$PF" hatch --patterns own.pattern -o own.d account.clip
python3 - <<'EOF'
import json
ids = {s["id"] for s in json.load(open("own.json"))["schedules"] if s["pattern"] == "third-writes"}
import os
assert ids & {f[:16] for f in os.listdir("own.d")}, ids
assert ids & {f[:16] for f in os.listdir("own.json.hatched")}, ids
EOF

# Many events of several threads and variables.
cp "$ROOT/test/shell/part/hatch_file_long.c" long.c
cat >long.pattern <<'END'
pattern zip
  kind atomic-set
  E  a1 - b1 - a2 - b2 - a3 - b3 - a4 - b4 - a5 - b5 - a6 - b6 - a7 - b7 - c - b8
  T  t - u - t - u - t - u - t - u - t - u - t - u - t - u - v - u
  SV x - x - x - x - x - x - y - y - y - y - x - x - x - x - z - z
  AR p - q - p - q - p - q - p - q - p - q - p - q - p - q - o - q
  AT w - r - w - r - w - r - w - r - w - r - w - r - w - r - w - r
END
"$PF" cc -O0 -g -I"$ROOT/include" long.c -o long
status 0 "$PF" record -o long.clip -- ./long
status 66 "$PF" predict --patterns long.pattern --json zip.json long.clip
python3 - <<'EOF'
import json
d = json.load(open("zip.json"))
d["schedules"] = [s for s in d["schedules"] if s["pattern"] == "zip"]
json.dump(d, open("zip.json", "w"))
EOF
status 66 "$PF" hatch --json long.json zip.json
has out "hatch: 1 candidate: 1 real, of these 1 with an error"
python3 - <<'EOF'
import json
f, = json.load(open("long.json"))["findings"]
assert len(f["accesses"]) == 16
assert f["kind"] == "atomic-set" and f["harm"] == "the program ended with status 9", f["harm"]
open("long.name", "w").write(f["clip"])
EOF
status 9 "$PF" replay --quiet "$(cat long.name)"
echo 'pattern p kind race E a - b T t - u' >bad.pattern
status 2 "$PF" hatch --patterns bad.pattern long.clip
has err "bad.pattern:1: pattern p has no SV"

# Bad files.
refused() { # PYTHON WORDS: PYTHON changes the document `d`; the error must name the file and contain WORDS
    python3 -c "import json
d = json.load(open('account.json'))
s = d['schedules'][0]
$1
json.dump(d, open('bad.json', 'w'))"
    status 2 "$PF" hatch bad.json
    has err "pf hatch: bad.json: "
    has err "$2"
}
refused "d['tool'] = 'other'" "not a photofinish findings file"
refused "d['version'] = 2" "expected 1 in version"
refused "del d['schedules']" "has no recording with schedules"
refused "d['recording'] = '/nowhere.clip'" "its recording, /nowhere.clip: No such file"
refused "d['recording'] = __import__('os').path.abspath('critical.clip')" "made from another recording"
refused "s['id'] = '0123456789abcdef'" "expected the id of a finding of this file in id"
refused "s['events'] = [1]" "expected 2 to 255 events in events"
refused "s['events'] = [1] * 256" "expected 2 to 255 events in events"
refused "s['events'][0] = 99999999" "expected an event number in events"
status 0 "$PF" dump account.clip
lock=$(awk '$3 ~ /^lock/ {print $1 - 1; exit}' out)
refused "s['events'][0] = $lock" "expected accesses in events"
refused "s['order'] = [[5, 3]]" "expected runs [first, last], every event once in order"
refused "s['order'] += [s['order'][-1]]" "expected runs [first, last], every event once in order"
refused "s['start'] = s['order'][0][1] + 1" "expected runs [first, last], every event once in order"
refused "s['order'] = [[0, 'x']]" "expected an event number in order"
refused "s['start'] = -1" "expected an event number in start"
echo '{"version": 1,' >bad.json
status 2 "$PF" hatch bad.json
has err "pf hatch: bad.json:2: expected JSON"
echo 'T0 write x' >bad.txt
status 2 "$PF" hatch bad.txt
has err "bad.txt"
status 2 "$PF" hatch --atomic=f account.json
has err "--atomic and --patterns need a recording"
status 2 "$PF" hatch account.json account.clip
has err "give only one recording"
