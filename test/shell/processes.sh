# Daemons, forked and exec'd children: each process writes its own findings, and pf run collects all
# of them.
cp "$ROOT/test/shell/part/processes_child.c" child.c
status 0 "$PF" cc -O1 -g -pthread "-I$ROOT/test/program" -o child child.c
mkdir logs
status 66 "$PF" run --json found.json --log logs -- ./child
has out parent
has out execed
for v in in_parent in_child in_exec; do
    has found.json "\"$v\""
done
[[ $(find logs -type f | wc -l) -ge 3 ]] || fail "fewer than three logs in $(ls logs)"

# A daemon that outlives its parent is harmless.
cp "$ROOT/test/shell/part/processes_daemon.c" daemon.c
status 0 "$PF" cc -o daemon daemon.c
status 0 "$PF" run -- ./daemon
for _ in $(seq 1200); do
    [[ -f daemon.done ]] && break
    sleep 0.05
done
[[ -f daemon.done ]] || fail "the daemon did not finish"

# A program that is killed: its findings until then are kept, and the status is that of the shell.
cp "$ROOT/test/shell/part/processes_killed.c" killed.c
status 0 "$PF" cc -g -pthread "-I$ROOT/test/program" -o killed killed.c
status 66 "$PF" run --json killed.json -- ./killed
has killed.json '"shared"'
has killed.json '"complete":false'
sed -i 's/shared = 1;//' killed.c
status 0 "$PF" cc -g -pthread "-I$ROOT/test/program" -o killed killed.c
status 137 "$PF" run -- ./killed

# Programs that were not built with pf cc are refused.
status 2 "$PF" run -- /bin/true
has err "pf cc"
status 2 "$PF" run -- ./does-not-exist
has err "does-not-exist"
