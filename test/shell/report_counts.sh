# A finding whose field "counts" is false is suspicious: every report shows it, after all others,
# and no exit status depends on it.
log() { # log COUNTS...: a log with one finding for each word, counted or suspicious
    python3 "$ROOT/test/run/make_logs.py" logs $#
    python3 - "$@" <<'PY'
import json, sys
lines = [json.loads(s) for s in open("logs/100.1.pflog")]
for line, word in zip([x["finding"] for x in lines if x["type"] == "finding"], sys.argv[1:]):
    line["class"], line["status"] = None, "confirmed"
    if word == "suspicious":
        line.update(counts=False, suspicious="a serial order gives the same result")
open("logs/100.1.pflog", "w").writelines(json.dumps(x) + "\n" for x in lines)
PY
}
levels() { # the levels of a SARIF file, in order
    python3 -c 'import json, sys; print(*[r["level"] for r in json.load(open(sys.argv[1]))["runs"][0]["results"]])' "$1"
}
log suspicious suspicious
status 0 "$PF" report --state logs
has out "Suspicious: not shown to matter (a serial order gives the same result)"
has out "0 findings in 1 process, and 2 suspicious (not shown to matter)"
status 0 "$PF" report --state logs --fail-on=confirmed
status 0 "$PF" report --state logs --json -o all.json
python3 -c 'import json; print([f["counts"] for f in json.load(open("all.json"))["findings"]])' >flags
has flags "[False, False]"
status 0 "$PF" report --state logs --sarif -o all.sarif
[[ $(levels all.sarif) == "note note" ]] || fail "$(levels all.sarif)"
status 0 "$PF" report --state logs --html -o all.html
has all.html '"counts":false'
status 0 "$PF" explain --state logs 0000000000000001
has out "it does not count: not shown to matter (a serial order gives the same result)"
# One that counts is reported first and decides the exit status.
log suspicious counted
status 66 "$PF" report --state logs
has out "1 finding in 1 process, and 1 suspicious (not shown to matter)"
status 66 "$PF" report --state logs --sarif -o all.sarif
[[ $(levels all.sarif) == "error note" ]] || fail "$(levels all.sarif)"
# The same finding in two logs counts if one of them says so.
log suspicious
mv logs/100.1.pflog logs/101.1.pflog
log counted
mv logs/101.1.pflog logs/99.1.pflog
status 66 "$PF" report --state logs
has out "1 finding in 2 processes"
hasnt out "uspicious"
# A wrong value is an error, not a default.
sed -i 's/"counts": false/"counts": "no"/' logs/99.1.pflog
status 2 "$PF" report --state logs
has err "expected true or false in counts"
