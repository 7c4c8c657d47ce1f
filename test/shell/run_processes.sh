# Forked, executed, killed and left-behind processes: each has its log, and pf run reports how each
# ended.
cp "$ROOT/test/shell/part/run_processes_many.c" many.c
status 0 "$PF" cc -g -O1 -I"$ROOT/test/program" -o many many.c -pthread
# ends WANTED: compares how the processes ended, `complete`, and the numbers of findings
ask() {
    python3 -c 'import json,sys
d = json.load(open("out.json"))
print(*[p["end"] for p in d["processes"]], d["complete"], len(d["findings"]), sum(f["count"] for f in d["findings"]))'
}
want() {
    local got
    got=$(ask)
    [[ $got == "$1" ]] || fail "ended, complete, findings, count: '$got', expected '$1'"
}
run() { status "$1" "$PF" run --json out.json -- ./many "${@:2}"; }

run 0
want "exit True 0 0"
run 66 fork
want "exit exit exit exit True 1 3"
run 66 exec
want "exec exit True 1 1"
run 66 failed-exec
want "exit True 1 1"
run 66 kill
want "killed False 1 1"
has err "was killed before its end"
run 134 abort
want "crash True 1 1"
hasnt err "pf: incomplete"
status 0 python3 "$ROOT/test/run/schema.py" "$ROOT/docs/format/findings.schema.json" out.json
python3 - "$(grep -n 'abort();' many.c | head -1 | cut -d: -f1)" <<'END'
import json, sys
(f,) = json.load(open("out.json"))["findings"]
(a,) = f["accesses"]
assert (f["kind"], f["status"], f["signal"], f["harm"]) == ("crash", "observed", 6, "the program died of signal 6 (SIGABRT, abort)"), f
assert (a["op"], a["function"], a["line"]) == ("fail", "main", int(sys.argv[1])), a
END
# Children that die: expected if the program ends with status 0, as a test harness does.
run 0 expected
want "exit crash killed True 0 0"
hasnt err "pf: incomplete"
run 5 unexpected
want "exit crash killed False 1 1"
run 66 close
want "exit True 1 1"
[[ ! -s own ]] || fail "the log was written to the program's own file"

# A process left behind: the result is incomplete, and the log stays for it. The child has the first
# read end of the fifo, so it ends when we close ours.
mkfifo hold
sleep 600 >hold &
holder=$!
status 0 "$PF" run --json out.json --log logs -- ./many leave <hold
has err "still running"
grep -q '"complete":false' out.json || fail "complete although a process still runs"
kill $holder
wait $holder || true
for _ in $(seq 300); do # it is not our child: wait cannot be used
    [[ $(grep -l '"type":"end"' logs/* | wc -l) == 2 ]] && break
    sleep 0.1
done
status 66 "$PF" report --json -o out.json logs
want "exit exit True 1 1"

# --wait: waits until that process has ended too.
(sleep 1; echo) | status 66 "$PF" run --wait --json out.json -- ./many leave
want "exit exit True 1 1"

# A shell script in between.
printf '#!/bin/sh\n./many race\n./many\nexit 9\n' >script
chmod +x script
status 66 "$PF" run --any --json out.json -- ./script
want "exit exit True 1 1"
printf '#!/bin/sh\n./many\nexit 9\n' >script
status 9 "$PF" run --any --json out.json -- ./script
want "exit True 0 0"

# Input, output and signals reach the program.
echo "to and fro" | "$PF" run -- ./many echo >out
has out "to and fro"
"$PF" run -- ./many signal >ready &
pid=$!
until grep -q ready ready; do sleep 0.05; done
kill -USR1 $pid
got=0
wait $pid || got=$?
[[ $got == 10 ]] || fail "status $got after SIGUSR1, expected 10"

# Over several runs, the same race is one finding; its id is the same from another folder, some
# lines further down, and at another optimisation level.
status 66 "$PF" run --quiet --state state -- ./many race
status 66 "$PF" run --quiet --state state -- ./many race
status 66 "$PF" report --state state
has out "1 finding in 2 processes"
has out "seen 2 times"
grep -o 'finding [0-9a-f]*' out >id
mkdir -p elsewhere/deep
{ echo "// moved"; cat many.c; } >elsewhere/deep/many.c
status 0 "$PF" cc -g -O3 -I"$ROOT/test/program" -o elsewhere/many "$PWD/elsewhere/deep/many.c" -pthread
status 66 "$PF" run --quiet --log other -- elsewhere/many race
status 66 "$PF" report other
has out "$(cat id)"
# No temporary files are left behind.
TMPDIR=$PWD/tmp
mkdir tmp
export TMPDIR
run 66 race
[[ -z $(ls tmp) ]] || fail "left in TMPDIR: $(ls tmp)"

# A closed standard error, or one that nobody reads, loses the text only.
status 66 bash -c '"$0" run --json out.json -- ./many race 2>&-' "$PF"
want "exit True 1 1"
status 0 bash -c '{ "$0" run --json out.json -- ./many race; echo $? >got; } 2>&1 | true' "$PF"
[[ $(cat got) == 66 ]] || fail "status $(cat got) with a broken pipe, expected 66"
want "exit True 1 1"
