# Findings with the same cause: text, SARIF and the summaries show a group once; exit status,
# --fail-on and the baseline work with single findings.
program=$ROOT/test/program/group
status 0 "$PF" cc -g -I"$ROOT/test/program" -o copy "$program/struct_copy_racy.c" -pthread
status 66 "$PF" run --state s --json run.json ./copy
has err "the 3 findings have 1 cause"
status 66 "$PF" run --quiet ./copy
hasnt err "have 1 cause"
status 66 "$PF" report --state s
[[ $(grep -c "WARNING: photofinish: data race" out) == 1 ]] || fail "the group is shown more than once"
[[ $(grep -c "  Same cause: data race on a heap block" out) == 2 ]] || fail "the other members are not listed"
has out "1 cause (3 findings) in 1 process"
status 66 "$PF" report --state s --sarif -o all.sarif
python3 - <<'PY' >sarif
import json
results = json.load(open("all.sarif"))["runs"][0]["results"]
r = results[0]
print(len(results), "result;", len(r["properties"]["sameCause"]), "others; count", r["occurrenceCount"])
print(sum("same cause" in l["message"]["text"] for l in r["relatedLocations"]), "related")
PY
has sarif "1 result; 2 others; count 3"
has sarif "2 related"
status 66 "$PF" suite --state u -- ./copy
has out "and 2 more with the same cause"
has out "1 cause (3 findings) in 1 execution of 1 test"
# A new finding fails although another one of its group is accepted.
ids=($(python3 -c 'import json; print(*[f["id"] for f in json.load(open("run.json"))["findings"]])'))
status 0 "$PF" baseline --state s
status 0 "$PF" report --state s --baseline .photofinish-baseline.json
has out "3 accepted"
sed -i "/${ids[0]}/d; s/,\$//; \$!{/^{\"id\"/{n;s/^{\"id\"/,&/}}" .photofinish-baseline.json
status 66 "$PF" report --state s --baseline .photofinish-baseline.json
has out "2 accepted"
status 66 "$PF" report --state s --baseline .photofinish-baseline.json --sarif
has out '"baselineState":"new"'
# pf explain lists the others.
status 0 "$PF" explain --state s "${ids[0]}"
has out "Findings with the same cause:"
has out "${ids[1]}"
# A race and an atomicity violation of one increment have one cause, in one document and across
# stages.
status 0 "$PF" cc -g -o hits "$ROOT/test/shell/part/finding_groups_hits.c" -pthread
status 0 "$PF" record -o hits.clip --schedule random:1 ./hits
status 66 "$PF" predict --analysis rdit,pecan --atomic work --json predicted.json hits.clip
status 0 python3 "$ROOT/test/run/schema.py" "$ROOT/docs/format/findings.schema.json" predicted.json
status 66 "$PF" hatch --atomic=work --json hatched.json hits.clip
has out "2 findings have 1 cause"
status 0 python3 "$ROOT/test/run/schema.py" "$ROOT/docs/format/findings.schema.json" hatched.json
status 66 "$PF" run --state h ./hits
status 66 "$PF" report --state h --from predicted.json
has out "  Same cause: "
has out "1 cause (2 findings)"
status 66 "$PF" report --state h --from predicted.json --json -o both.json
python3 -c 'import json; print(sorted((f["kind"], f["location"]["name"]) for f in json.load(open("both.json"))["findings"]))' >kinds
has kinds "[('atomicity', 'hits'), ('race', 'hits')]"
