# pf report --sarif: valid against the official schema, stable, with the fields that viewers need.
[[ -d $BUILD/page/node_modules/ajv-draft-04 ]] || { echo "skipped: npm's packages are not there"; exit 77; }
valid() { status 0 node "$ROOT/test/run/sarif.mjs" "$BUILD/page" "$@"; }
cp "$ROOT/test/shell/part/report_sarif_race.c" race.c
status 0 "$PF" cc -g -I"$ROOT/test/program" -o race race.c -pthread
status 66 "$PF" run --quiet --state s -- ./race
status 66 "$PF" report --sarif --state s -o a.sarif
valid a.sarif
python3 - <<'END'
import json
(run,) = json.load(open("a.sarif"))["runs"]
(result,) = run["results"]
assert result["ruleId"] == "race" and run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == "race"
assert result["level"] == "error"
at = result["locations"][0]["physicalLocation"]
assert at["artifactLocation"] == {"uri": "race.c", "uriBaseId": "SRCROOT"} and at["region"]["startLine"] == 9, at
related = [r["physicalLocation"]["region"]["startLine"] for r in result["relatedLocations"]]
assert related == [20, 17, 18], related  # the other access, the allocation, the thread
(flow,) = result["codeFlows"]
(thread,) = flow["threadFlows"]
steps = [(s["executionOrder"], s["location"]["physicalLocation"]["region"]["startLine"]) for s in thread["locations"]]
assert steps == [(1, 18), (2, 8), (3, 9), (4, 20)], steps
assert len(result["partialFingerprints"]["photofinish/v1"]) == 16
assert "[here](1)" in result["message"]["text"] and result["relatedLocations"][0]["id"] == 1
assert run["invocations"][0]["executionSuccessful"] is True
END

# The same result whichever access happened later: the log with the two accesses exchanged.
python3 - <<'END'
import glob, json, os
(log,) = glob.glob("s/runs/*/*.pflog")
os.mkdir("t")
with open("t/1.1.pflog", "w") as out:
    for line in open(log):
        o = json.loads(line)
        if o["type"] == "finding":
            o["finding"]["accesses"].reverse()
        out.write(json.dumps(o) + "\n")
END
status 66 "$PF" report --sarif t -o b.sarif
python3 - <<'END'
import json
a, b = (json.load(open(f))["runs"][0]["results"][0] for f in ("a.sarif", "b.sarif"))
assert a["locations"] == b["locations"] and a["partialFingerprints"] == b["partialFingerprints"]
assert a["relatedLocations"] == b["relatedLocations"] and a["message"] == b["message"]
END

# The schedule of a predicted race is its thread flow.
printf '1 T0 fork T1\n2 T0 lock m\n3 T0 write x=1\n4 T0 unlock m\n5 T1 lock m\n6 T1 unlock m\n7 T1 write x=2\n' >trace.txt
status 66 "$PF" predict --json predicted.json trace.txt
status 66 "$PF" report --sarif --from predicted.json -o predicted.sarif
valid predicted.sarif
python3 - <<'END'
import json
(run,) = json.load(open("predicted.sarif"))["runs"]
assert run["invocations"][0]["executionSuccessful"] is True
(result,) = run["results"]
assert result["level"] == "warning"
steps = [s["location"]["message"]["text"] for s in result["codeFlows"][0]["threadFlows"][0]["locations"]]
assert steps[-2:] == ["thread T1 'T1': write x = 2", "the main thread: write x = 1"], steps
END

# No findings, many findings, hostile names, an incomplete run.
mkdir none
status 0 "$PF" report --sarif none -o none.sarif
python3 "$ROOT/test/run/make_logs.py" many 300
status 66 "$PF" report --sarif many -o many.sarif
python3 "$ROOT/test/run/make_logs.py" bad 10 hostile
sed -i '$d' bad/100.1.pflog
status 66 "$PF" report --sarif bad -o bad.sarif
valid none.sarif many.sarif bad.sarif
python3 - <<'END'
import json, urllib.parse
(run,) = json.load(open("bad.sarif"))["runs"]
assert run["invocations"][0]["executionSuccessful"] is False
assert "was killed before its end" in run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"]
uris = {urllib.parse.unquote(r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]) for r in run["results"]}
assert "operator[].c" in uris, uris
text = [r["message"]["text"] for r in run["results"] if "operator" in r["message"]["text"]]
assert all("operator\\[\\]" in t for t in text), text
levels = [r["level"] for r in json.load(open("many.sarif"))["runs"][0]["results"]]
assert set(levels) == {"error", "warning", "note"}
END
# The validator rejects an invalid file.
sed 's/"version":"2.1.0"/"version":"2.0.0"/' a.sarif >wrong.sarif
status 1 node "$ROOT/test/run/sarif.mjs" "$BUILD/page" wrong.sarif
