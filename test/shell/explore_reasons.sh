# pf explore does not claim to have seen every execution if something happened that it does not explore: a program for
# each reason. Without it, the same program is explored completely.
part="$ROOT/test/shell/part"
clang-19 -O1 -c "$part/explore_foreign.c" -o foreign.o

# refuses REASON TEXT [FLAG...]: the program that does REASON is not complete, and the report says why
refuses() {
    "$PF" cc -g -O1 -DREASON="$1" "${@:3}" "$part/explore_reasons.c" foreign.o -o reason
    "$PF" explore --runs "${RUNS:-40}" --json reason.json -- ./reason >out 2>err || true
    has out "not explored: $2"
    hasnt out "complete for this input"
    python3 - "$2" <<'EOF'
import json, sys
d = json.load(open("reason.json"))
e = d["exploration"]
assert not d["complete"] and not e["complete"] and any(sys.argv[1].startswith(o["reason"]) for o in e["open"]), e
EOF
}
"$PF" cc -g -O1 -DREASON=nothing "$part/explore_reasons.c" foreign.o -o reason
status 0 "$PF" explore --runs 40 -- ./reason
has out "complete for this input: every execution was seen (C11)"

hasnt out "assumed:"

# Two threads allocate, always in the same order: the claim names its assumption.
"$PF" cc -g -O1 -DREASON=address -DLATE "$part/explore_reasons.c" foreign.o -o late
status 0 "$PF" explore --runs 40 --json late.json -- ./late
has out "complete for this input: every execution was seen (C11)"
has out "assumed: nothing depends on the addresses of allocated memory; they were the same in all runs"
has late.json '"assumes_addresses":true'
python3 "$ROOT/test/run/schema.py" "$ROOT/docs/format/findings.schema.json" late.json
status 0 "$PF" check --runs 3 --json check.json -- ./late
has out "assumed: nothing depends on the addresses of allocated memory"
python3 "$ROOT/test/run/schema.py" "$ROOT/docs/format/findings.schema.json" check.json

refuses foreign_code "a call of code that is not instrumented (foreign at "
refuses futex_limit "a call of code that is not instrumented (syscall at "
refuses child "a child process"
has out "not explored: a signal from outside"
has out "not explored: an answer from outside (wait4)"
refuses outside_signal "a call of a library function that is not explored (setitimer)"
refuses cancelled "a wait that no notification ended" -DCANCEL
refuses clock_read "a call of a library function that is not explored (clock_gettime)"
refuses counter_read "a call of a library function that is not explored (rdtsc)"
refuses address "an address that depends on the schedule (" -DADDRESS
refuses shared_pipe "a run that changed what the runs share" -DPIPE
refuses mapped_file "a call that may not replay"
refuses many_waits "too many choices"
refuses endless "a run that did not end within its time limit"
RUNS=1 refuses many_events "a run with too many events"

# A search that was stopped says how much is left.
"$PF" cc -g -O1 -pthread "$ROOT/bench/subject/explore/circular_buffer.c" -o stopped
"$PF" explore --runs 3 --json stopped.json -- ./stopped >out 2>err || true
has out "stopped early: "
hasnt out "complete for this input"
