# More live threads than slots: the program keeps running, and the result says "incomplete".
cp "$ROOT/test/shell/part/capacity_crowd.c" crowd.c
status 0 "$PF" cc -O1 -pthread "-I$ROOT/test/program" -o crowd crowd.c
status 0 "$PF" run --json crowd.json -- ./crowd
has crowd.json '"complete":false'
has err "incomplete"

# More threads over the run than slots, and no thread is ordered after their ends: later threads are
# still watched, and the result says "incomplete".
cp "$ROOT/test/shell/part/capacity_flow.c" flow.c
status 0 "$PF" cc -O1 -pthread "-I$ROOT/test/program" -o flow flow.c
status 66 "$PF" run --json flow.json -- ./flow
has flow.json '"complete":false'
has flow.json '"variable":"x"'
has err "races between the two are missed"
