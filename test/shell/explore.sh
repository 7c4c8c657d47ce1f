# pf explore: every execution of small programs; failures are findings with clips; what was not
# explored is listed, and then the result is not called complete.
part="$ROOT/test/shell/part"
"$PF" cc -g -O1 "$part/explore_account.c" -o account
status 66 "$PF" explore --json account.json -o clips -- ./account
has out "assertion failed: balance >= 0"
has out "complete for this input: every execution was seen (C11)"
for _ in 1 2 3 4 5; do
    status 134 "$PF" replay --quiet clips/*.clip
done
python3 - <<'EOF'
import json
d = json.load(open("account.json"))
e = d["exploration"]
assert d["complete"] and e["complete"] and not e["open"] and e["model"] == "c11", e
assert e["schedules"] == e["classes"] == 6, e
assert [f["kind"] for f in d["findings"]] == ["assertion"] and d["findings"][0]["clip"], d
EOF

status 0 python3 "$ROOT/test/run/schema.py" "$ROOT/docs/format/findings.schema.json" account.json

# limits: the result is not complete, and says what is left
status 0 "$PF" explore --runs 2 -- ./account
has out "stopped early"
status 2 "$PF" explore --runs x -- ./account
status 2 "$PF" explore
status 2 "$PF" explore -- ./missing

build() { "$PF" cc -g -O1 "-DREASON=$1" "${@:2}" "$part/explore_open.c" -o open; }
build nothing
status 0 "$PF" explore -- ./open
has out "complete for this input: every execution was seen (C11)"
# answers that the program got before its threads exist are the same in all runs
build nothing -DBEFORE=asked_before
status 0 "$PF" explore --json before.json -- ./open
has out "complete for this input: every execution was seen (C11)"
python3 -c 'import json; e = json.load(open("before.json"))["exploration"]; assert e["complete"] and e["classes"] and not e["open"], e'
build relaxed
status 0 "$PF" explore -- ./open
has out "complete for this input: every execution was seen (sequential consistency only)"
for reason in timed_wait time_read sleeps child file_read random_number; do
    build "$reason"
    status 0 "$PF" explore --runs 50 -- ./open
    has out "not explored: "
    hasnt out "complete for this input"
done
build counts_while_waiting
status 0 "$PF" explore --runs 50 -- ./open
has out "stopped early"
build sleeps -DLEAVE
status 0 "$PF" explore --runs 50 -- ./open
hasnt out "complete for this input"

# a run of thousands of events has millions of targets: they are not all generated at once
"$PF" cc -g -O1 -pthread "$ROOT/example/tally.c" -o tally
status 0 "$PF" explore --runs 20 --json tally.json -- ./tally
has out "stopped early"
python3 - <<'EOF'
import json
e = json.load(open("tally.json"))["exploration"]
assert e["schedules"] == e["classes"] == 20 and e["races"][0]["clip"], e
EOF
