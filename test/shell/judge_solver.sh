# A solver that crashes, hangs, answers nonsense or is missing: the search for other inputs is
# incomplete, and the evidence says so.
cp "$ROOT/test/shell/part/judge_solver.c" part.c
libraries=$(dirname "$PF")/../lib/photofinish
mkdir -p own/bin own/lib/photofinish
cp "$PF" own/bin/pf
for file in "$libraries"/*; do
    ln -s "$file" own/lib/photofinish/
done
"$PF" cc --symbolic -g -O1 part.c -o part
status 0 "$PF" record -o part.clip -- ./part xy

# The solver finds the input under which the order matters.
status 66 own/bin/pf judge --fail-on=output-differs -o evidence part.clip
has out 'reason: with argv[1]="ai"'
hasnt out "incomplete"

# try TEXT SCRIPT: the solver is replaced by a script.
try() {
    rm -f own/lib/photofinish/pf-z3
    if [[ -n $2 ]]; then
        printf '#!/bin/sh\n%s\n' "$2" >own/lib/photofinish/pf-z3
        chmod +x own/lib/photofinish/pf-z3
    fi
    status 0 own/bin/pf judge --fail-on=output-differs --solver 100ms -o evidence --json j.json part.clip
    has out "k-witness-harmless"
    grep -q "paths: .*; incomplete: $1" out || fail "$(cat out)"
}
try "the solver failed on 1 question" 'kill -SEGV $$'
try "the solver failed on 1 question" 'head -c 8'
try "the solver failed on 1 question" 'cat'
try "the solver failed on 1 question" ''
try "the solver reached its time limit on 1 question" 'while :; do :; done'
try "the solver reached its time limit on 1 question" 'exec sleep 60'
