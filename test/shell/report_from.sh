# pf report --from: reports of ThreadSanitizer and Helgrind in addition to our own findings.
cp "$ROOT/test/shell/part/report_from_race.c" race.c
status 0 clang-19 -g -fsanitize=thread -I"$ROOT/test/program" -o tsan race.c -pthread
status 66 ./tsan
cp err tsan.log
status 66 ./tsan x
cat err >>tsan.log
status 66 "$PF" report --from tsan.log
has err "pf report: tsan.log: 2 candidates of tsan, 0 known, 0 skipped"
has out "2 findings"
has out "Seen by: ThreadSanitizer, predicted 1 time"
has out ", predicted"
has out "Location is global 'other' of size 4"
status 66 "$PF" report --from tsan.log --json -o tsan.json
status 0 python3 "$ROOT/test/run/schema.py" "$ROOT/docs/format/findings.schema.json" tsan.json
python3 - <<'END'
import json
d = json.load(open("tsan.json"))
assert d["complete"] is False  # pf itself has run nothing
assert {(f["status"], f["analysis"]) for f in d["findings"]} == {("predicted", "tsan")}
assert sorted(f["accesses"][0]["variable"] for f in d["findings"]) == ["other", "shared"]
END
status 0 "$PF" report --from tsan.log --fail-on=confirmed

# Races that pf observed itself are not repeated, whatever their fingerprint.
status 0 "$PF" cc -g -I"$ROOT/test/program" -o race race.c -pthread
status 66 "$PF" run --quiet --state s -- ./race
status 66 "$PF" report --from tsan.log --state s
has err "tsan.log: 1 candidate of tsan, 1 known, 0 skipped"
has out "2 findings in 1 process"
# Our own text has the same layout.
status 66 "$PF" run -- ./race x
cp err ours.log
status 66 "$PF" report --from ours.log
has err "ours.log: 1 candidate of fasttrack"

# Helgrind.
frame() { echo "<frame><ip>0x1</ip><obj>$PWD/race</obj><fn>$1</fn><dir>$PWD</dir><file>race.c</file><line>$2</line></frame>"; }
cat >helgrind.xml <<END
<?xml version="1.0"?>
<valgrindoutput>
<protocoltool>helgrind</protocoltool>
<error><kind>Race</kind>
<xwhat><text>Possible data race during write of size 4 at 0x10C078 by thread #1</text><hthreadid>1</hthreadid></xwhat>
<stack>$(frame main 17)</stack>
<xauxwhat><text>This conflicts with a previous write of size 4 by thread #2</text><hthreadid>2</hthreadid></xauxwhat>
<stack>$(frame worker 7)</stack>
</error>
END
status 66 "$PF" report --from helgrind.xml --state s
has err "helgrind.xml: 1 candidate of helgrind, 0 known, 0 skipped; incomplete: the end of the file is missing"
echo "</valgrindoutput>" >>helgrind.xml
status 66 "$PF" report --from helgrind.xml
has err "helgrind.xml: 1 candidate of helgrind, 0 known, 0 skipped"
hasnt err incomplete
has out ", predicted"

# Damaged: the error ends three times.
sed 's|</error>|</error></error></error>|; s|<error>|<a><b><announcethread><hthreadid>1</hthreadid></announcethread>'\
'<announcethread><hthreadid>2</hthreadid></announcethread><error>|' helgrind.xml >damaged.xml
for format in --json --sarif --html; do
    status 66 "$PF" report --from damaged.xml $format -o damaged.out
done
status 66 "$PF" report --from damaged.xml
has err "damaged.xml: 1 candidate of helgrind, 0 known"

# A JSON document of pf: findings with the same id are merged, with the strongest status and its
# clip; the order of reports.
python3 "$ROOT/test/run/make_logs.py" logs 9
status 66 "$PF" report --json logs -o all.json
python3 - <<'END'
import json
d = json.load(open("all.json"))
order = [(f["class"], f["status"]) for f in d["findings"]]
want = [("output-differs",), (None, "confirmed"), (None, "observed"), (None, "predicted"), ("k-witness-harmless",)]
ranks = [next(i for i, w in enumerate(want) if o[: len(w)] == w) for o in order]
assert ranks == sorted(ranks), order
one = next(f for f in d["findings"] if f["status"] == "observed" and f["class"] is None)
one.update(status="confirmed", clip="it.clip", count=5)
d["findings"] = [one]
json.dump(d, open("one.json", "w"))
END
status 66 "$PF" report --json --from one.json logs -o both.json
python3 - <<'END'
import json
one, both = json.load(open("one.json"))["findings"][0], json.load(open("both.json"))["findings"]
(same,) = [f for f in both if f["id"] == one["id"]]
assert len(both) == 9 and (same["status"], same["clip"], same["count"]) == ("confirmed", "it.clip", 6), same
END
# Any number of accesses, also none, in every format.
python3 - <<'END'
import json
d = json.load(open("one.json"))
(one,) = d["findings"]
d["findings"] = [dict(one, id=f"{n:016x}", accesses=(one["accesses"] * 2)[:n], kind=kind)
                 for n, kind in enumerate(["race", "race", "race", "atomicity"])]
json.dump(d, open("any.json", "w"))
END
for format in --json --sarif --html; do
    status 66 "$PF" report --from any.json $format -o any.out$format
done
status 0 python3 "$ROOT/test/run/schema.py" "$ROOT/docs/format/findings.schema.json" any.out--json
python3 - <<'END'
import json
d = json.load(open("any.out--json"))
assert [len(f["accesses"]) for f in sorted(d["findings"], key=lambda f: f["id"])] == [0, 1, 2, 3]
results = json.load(open("any.out--sarif"))["runs"][0]["results"]
assert sorted(len(r["locations"]) for r in results) == [0, 1, 1]  # two findings have the same cause
END
status 66 "$PF" report --from any.json
has out "4 findings"

echo '{"tool":"other"}' >other.json
status 2 "$PF" report --from other.json
has err "other.json: not a photofinish findings file"

echo "all is well" >plain.log
status 2 "$PF" report --from plain.log
has err "plain.log: neither a ThreadSanitizer report nor Helgrind XML"
status 2 "$PF" report --from missing.log
has err "missing.log: No such file"

# Damaged reports: errors without stacks, without accesses, and cut off anywhere.
cat >damaged.xml <<END2
<valgrindoutput><protocoltool>helgrind</protocoltool>
<error><kind>Race</kind></error>
<error><kind>Race</kind><xwhat><text>Possible data race during write of size 4 at 0x1 by thread #1</text></xwhat></error>
<error><kind>Race</kind><stack></stack><stack></stack></error></error>
<error><kind>Race</kind>
END2
mkdir -p empty
for ((n = 20; n <= $(wc -c <damaged.xml); n += 7)); do
    head -c "$n" damaged.xml >cut.xml
    for form in --text --json --sarif; do # no findings of our own in the folder
        status 0 "$PF" report "$form" --from cut.xml --state empty
    done
done
