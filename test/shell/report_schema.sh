# The output of pf run --json follows docs/format/findings.schema.json: every kind of memory, locks,
# named threads, freed blocks, processes that end in each possible manner; and it has no
# undocumented fields.
cp "$ROOT/test/shell/part/report_schema_all.c" all.c
status 0 "$PF" cc -g -w -I"$ROOT/test/program" -o all all.c -pthread
for what in g:66 s:66 t:66 h:66 f:66 k:137 e:66 n:0; do
    status "${what#*:}" "$PF" run --json "${what%:*}.json" -- ./all "${what%:*}" $'\xff "\n'
done
status 0 python3 "$ROOT/test/run/schema.py" "$ROOT/docs/format/findings.schema.json" ./*.json
for what in 'g "global"' 's "stack"' 't "tls"' 'h "heap"' 'f "freed":'; do
    has "${what%% *}.json" "${what#* }"
done
has g.json '"locks":["l","m"]'
has g.json '"mode":"read"'
# A run keeps only where a lock was first acquired, and does not attribute it to the thread.
python3 - <<'EOF'
import json
held = [a for a in json.load(open("g.json"))["findings"][0]["accesses"] if a["held"]][0]["held"]
assert [(l["first"], l["stack"][1]["function"]) for l in held] == [(True, "touch"), (True, "elsewhere")], held
EOF
status 66 "$PF" run -- ./all g
grep -A2 "Mutex M1 'm'" err | tr '\n' ' ' >told
has told "first acquired at:"
has told "elsewhere all.c"
has f.json '"op":"free"'
python3 - <<'EOF'
import json
f = json.load(open("s.json"))["findings"][0]
assert [p["function"] for p in f["location"]["stack"]] == ["race", "main"], f["location"]
EOF
# The validator rejects an invalid file.
for bad in 's/"tool":"photofinish"/"tool":"other"/' 's/"op":"write"/"op":"wrote"/' 's/"complete"/"finished"/' \
    's/"count":1/"count":0/' 's/"thread":"T1"/"thread":"1"/' 's/"size":4/"size":"4"/'; do
    sed "$bad" g.json >bad.json
    status 1 python3 "$ROOT/test/run/schema.py" "$ROOT/docs/format/findings.schema.json" bad.json
done
