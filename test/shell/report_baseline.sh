# pf baseline, pf report --fail-on, pf explain.
cp "$ROOT/test/shell/part/report_baseline_two.c" two.c
status 0 "$PF" cc -g -I"$ROOT/test/program" -o two two.c -pthread
status 66 "$PF" run --quiet --state s -- ./two
status 66 "$PF" report --state s
status 66 "$PF" report --fail-on=any --state s
status 0 "$PF" report --fail-on=confirmed --state s
status 66 "$PF" report --fail-on=new --state s
status 2 "$PF" report --fail-on=sometimes --state s
has err "--fail-on=sometimes: expected new, any, confirmed or a class of pf judge"
status 2 "$PF" report --baseline accepted.json --state s
has err "accepted.json: No such file"

status 0 "$PF" baseline --state s -o accepted.json
has out "accepted.json: 1 accepted, 1 of them new, 0 dropped"
has accepted.json "data race on the global variable 'first' between other (two.c:9) and main (two.c:"
status 0 python3 "$ROOT/test/run/schema.py" "$ROOT/docs/format/baseline.schema.json" accepted.json
status 0 "$PF" report --baseline accepted.json --state s
has out ", accepted"
has out "1 finding in 1 process, 1 accepted"
status 66 "$PF" report --baseline accepted.json --fail-on=any --state s
# A new finding fails; once accepted it does not, and its note stays.
status 66 "$PF" run --quiet --state s -- ./two x
status 66 "$PF" report --baseline accepted.json --state s
status 66 "$PF" report --baseline accepted.json --sarif --state s -o a.sarif
[[ $(grep -o '"baselineState":"[a-z]*"' a.sarif | sort | tr '\n' ' ') == *new*unchanged* ]] || fail "baselineState"
sed -i 's/"title":/"note":"known, #17","title":/' accepted.json
status 0 "$PF" baseline --state s -o accepted.json
has out "2 accepted, 1 of them new, 0 dropped"
has accepted.json "known, #17"
status 0 "$PF" report --baseline accepted.json --state s
# Findings that disappeared are dropped from the baseline, or kept.
mkdir none
cp accepted.json kept.json
status 0 "$PF" baseline --keep -o kept.json none
has out "2 accepted, 0 of them new, 0 dropped"
status 0 "$PF" baseline -o accepted.json none
has out "0 accepted, 0 of them new, 2 dropped"
# Damaged baselines.
wrong() {
    printf '%s' "$1" >bad.json
    status 2 "$PF" report --baseline bad.json --state s
    has err "bad.json$2"
}
wrong '{' ':1: expected JSON'
wrong '{"version":1,"tool":"other","accepted":[]}' ': not a photofinish baseline'
wrong '{"version":2,"tool":"photofinish","accepted":[]}' ': expected 1 in version'
wrong '{"version":1,"tool":"photofinish","accepted":[{"id":"12"}]}' ': expected a fingerprint of 16 digits in accepted[0].id'
status 2 "$PF" baseline --state nowhere
has err "nowhere: No such file"
status 2 "$PF" baseline --state s -o /proc/none
has err "/proc/none"

# pf explain on one finding, with an abbreviated id.
id=$(grep -o '"id":"[0-9a-f]*"' kept.json | head -n 1 | cut -d'"' -f4)
status 0 "$PF" explain --state s "${id:0:8}"
has out "Finding $id, observed, seen 1 time:"
has out "1. The main thread starts thread T1"
has out "2. Thread T1 holds M0 'm', first taken"
has out "3. Thread T1 writes 4 bytes"
has out "    >     9 |     *(int *)arg = 1;"
has out "4. The main thread writes 4 bytes"
has out "the other thread holds no lock: it should probably take the same one."
has out "There is no clip"
# In another folder, the sources are found next to the program; without sources the explanation
# still works.
mkdir away
cd away
status 0 "$PF" explain --state ../s "$id"
has out "    >     9 |     *(int *)arg = 1;"
mv ../two.c ../moved.c
status 0 "$PF" explain --state ../s "$id"
has out "3. Thread T1 writes 4 bytes"
hasnt out "    >     9 |"
mkdir sources
mv ../moved.c sources/two.c
status 0 "$PF" explain --source sources --state ../s "$id"
has out "    >     9 |     *(int *)arg = 1;"
cd ..
status 2 "$PF" explain --state s
has err "no finding given"
status 2 "$PF" explain --state s ff ee
has err "give only one finding"
status 2 "$PF" explain --state s ffffffffffffffff
has err "no finding has this id"
status 2 "$PF" explain --state s ""
has err "2 findings start with it"
python3 "$ROOT/test/run/make_logs.py" many 10
status 0 "$PF" explain --state many 0000000000000002
has out "pf replay --gdb variable1.clip"
