# shellcheck shell=bash disable=SC2154
# Directed runs find accesses outside of global and stack variables, and have no false alarms.
cp "$ROOT/test/shell/part/variable_watch_vars.c" vars.c
cp "$ROOT/test/shell/part/variable_watch_vars.cpp" vars.cpp
check() { # program, case, title, kind, function, variable
    status 66 "$PF" record --watch --log "log$2" -o v.clip -- "$1" "$2"
    has out "goes on"
    has err "$3 in $5 ("
    status 66 "$PF" replay --quiet --watch v.clip
    has err "$3 in $5 ("
    status 66 "$PF" report --json --state "log$2" -o v.json
    python3 - v.json "$4" "$6" <<'P'
import json, sys
f = json.load(open(sys.argv[1]))["findings"][0]
assert f["kind"] == sys.argv[2], f
assert f["location"]["kind"] == sys.argv[2].split("-")[0] and f["location"]["name"] == sys.argv[3], f["location"]
assert f["location"]["size"] and f["location"]["file"], f["location"]
P
    rm -r "log$2"
}
stack="access outside of a variable on the stack" global="access outside of a global variable"
for level in O0 O2; do
    "$PF" cc -$level -g -w vars.c -o vars -pthread
    "$PF" c++ -$level -g vars.cpp -o varsxx -pthread
    for program in ./vars ./varsxx; do
        status 0 "$PF" record --watch -o ok.clip -- $program 0
        hasnt err photofinish
        status 0 "$PF" record --trace -o ok.clip -- $program 0
        status 0 "$PF" replay --quiet --watch ok.clip
    done
    check ./vars 1 "$stack" stack-buffer-overflow main nums
    check ./vars 2 "$global" global-buffer-overflow main table
    check ./vars 3 "$stack" stack-buffer-overflow fill buf
    check ./vars 4 "$global" global-buffer-overflow sum table
    check ./vars 5 "$stack" stack-buffer-overflow main buf
    check ./vars 6 "$stack" stack-buffer-overflow fill buf
    check ./vars 7 "$global" global-buffer-overflow main letters
    check ./vars 8 "$stack" stack-buffer-overflow main twenty
    check ./vars 9 "$stack" stack-buffer-overflow vla vla
    check ./varsxx 1 "$stack" stack-buffer-overflow "set(int*, int)" d
done

# Harm that a schedule causes: the index is read twice, and changed in between.
cp "$ROOT/test/shell/part/variable_watch_late.c" late.c
"$PF" cc -O0 -g late.c -o late
status 0 "$PF" record -o late.clip -- ./late
status 66 "$PF" hatch -o late.d late.clip
has out "Consequence: memory error: access outside of a global variable in use (late.c:8)"

# A function that receives only local variables of its callers can still access memory outside of
# them.
cp "$ROOT/test/shell/part/variable_watch_own.c" own.c
status 0 "$PF" cc -O1 -g -o own own.c
status 0 "$PF" record --watch -o own.clip -- ./own
status 66 "$PF" record --watch -o own.clip -- ./own too far
has err "outside of a variable on the stack in fill"
