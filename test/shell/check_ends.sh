# pf check: other ends. Interrupted, killed, continued; programs that do not exist, crash, or do not
# end.
until_true() { # until_true COMMAND...: polls, gives up after a minute
    for _ in $(seq 600); do
        "$@" >/dev/null 2>&1 && return
        sleep 0.1
    done
    fail "still false: $*"
}
# Programs are started with their full path, so that their processes can be found.
left() {
    for d in /proc/[0-9]*; do
        [[ $(tr '\0' ' ' 2>/dev/null <"$d/cmdline") != "$PWD/$1 "* ]] || echo "${d#/proc/}"
    done
}
gone() { [[ -z $(left "$1") ]]; }
there() { ! gone "$1"; }
cp "$ROOT/test/shell/part/check_ends_racy.c" racy.c
cp "$ROOT/test/shell/part/check_ends_dies.c" dies.c
cp "$ROOT/test/shell/part/check_ends_stays.c" stays.c
cp "$ROOT/test/shell/part/check_ends_held.c" many.c
for p in racy dies stays many; do "$PF" cc -g -O1 -pthread $p.c -o $p; done

# Errors before the check starts.
status 2 "$PF" check
has err "no program given"
status 2 "$PF" check -- ./nowhere
has err "pf check: ./nowhere: No such file"
status 2 "$PF" check -- /bin/true
has err "not instrumented"
status 2 "$PF" check --time never -- ./racy
has err "--time=never"
status 2 "$PF" check --jobs 0 -- ./racy
has err "--jobs=0"
status 2 "$PF" check --continue
has err "has no check to continue"
[[ ! -e .photofinish ]] || fail "a check was started"
mkdir closed
chmod 555 closed
closed=closed
[[ ! -w closed ]] || closed=/proc/self # not even root can write there
status 2 "$PF" check --state $closed -- ./racy
has err "pf check: $closed/check"
status 2 "$PF" check --json nowhere/out.json -- ./racy
has err "nowhere/out.json"

# A check that cannot begin leaves nothing that a report would stumble over; here no file may grow.
(
    ulimit -f 0
    "$PF" check --state full.s -- ./racy
) >out 2>err && fail "a check without room has begun"
[[ -z $(find full.s/check -mindepth 1 2>/dev/null) ]] || fail "left: $(find full.s)"
mkdir -p full.s/check/1000-1/found # of an older pf
status 0 "$PF" report --state full.s
has out "0 findings"
status 66 "$PF" check --runs 1 --quiet --state full.s -- ./racy
status 66 "$PF" report --state full.s
has out "1 finding: 1 confirmed"

# A program that crashes without a race: the crash is a finding.
status 66 "$PF" check --runs 1 --state dies.s -- ./dies
has out "WARNING: photofinish: crash"
has out "Cause: the program died of signal 6 (SIGABRT, abort)"
has out "See it again, every time: pf replay dies.s/check/"
has out "1 finding: 1 confirmed"

# A program that does not end and ignores SIGTERM is killed, and the report says so.
status 0 "$PF" check --time 1s --grace 100ms --state stays.s -- "$PWD/stays"
grep -qE "pf: incomplete: (a free run did not end within [0-9]+ s and was terminated; a program that does not end by itself needs --for|the time budget ended)" out ||
    fail "not reported"
gone stays || fail "a process is still running"
# With --for this is the expected end; this program must still be killed.
status 0 "$PF" check --runs 1 --for 100ms --grace 100ms --state for.s -- "$PWD/stays"
has out "explored: 1 free run; 1 schedule"
gone stays || fail "a process is still running"

# The end of the budget is reported once, as such: here a try waits for a writer of a pipe until
# then. The message does not blame the build of the program.
mkfifo hold
sed 's/s.st_size == 15/s.st_size == 10/' many.c >waits.c
"$PF" cc -g -O1 -pthread waits.c -o waits
status 66 "$PF" check --time 3s --grace 1m --state waits.s -- "$PWD/waits"
[[ $(grep -c "incomplete" out) == 1 ]] || fail "not one reason"
has out "pf: incomplete: the time budget ended before everything was tried; allow more with --time"
hasnt out "built"
hasnt err "built"
grep -q '"kind":"hatch".*"how":"budget"' waits.s/check/*/journal || fail "the hatch step did not end itself"
gone waits || fail "a process is still running"
rm -f starts held

# Ctrl-C: the findings so far are reported.
"$PF" check --time 10m --runs 100000 --state s -- "$PWD/racy" >stopped.out 2>stopped.err &
pid=$!
until_true grep -q "1 confirmed" stopped.err
kill -INT $pid
rc=0
wait $pid || rc=$?
[[ $rc == 66 ]] || fail "exit status after SIGINT: $rc"
has stopped.err "resume with: pf check --continue"
has stopped.out "1 finding: 1 confirmed"
has stopped.out "pf: incomplete: the check was interrupted"
gone racy || fail "a process is still running"
rounds() { python3 -c 'import json,sys; print(max(json.loads(l)["round"] for l in open(sys.argv[1])))' "$1"; }
before=$(rounds s/check/*/journal)
status 66 "$PF" check --continue --runs 2 --state s
has out "1 finding: 1 confirmed"
hasnt out "incomplete"
(($(rounds s/check/*/journal) > before)) || fail "--continue ran no further round"
[[ $(ls s/check | wc -l) == 1 ]] || fail "--continue started another check"
status 66 "$PF" report --state s
hasnt out "incomplete"

# A word that is not UTF-8 cannot be read back from a plan: refused, and not replaced or left out.
status 66 "$PF" check --runs 1 --quiet --state bytes -- ./racy $'a\xff'
status 2 "$PF" check --continue --state bytes
has err "its command line is not UTF-8, so it cannot be continued"
status 2 "$PF" check --on local --state bytes2 -- ./racy $'a\xff'
has err "the command line is not UTF-8, so it cannot run on a fleet"
[[ ! -e bytes2/fleet && ! -e bytes2/check ]] || fail "a fleet was started"

# Interrupted while predictions are tried: the results so far are kept, and --continue repeats the
# step to its end.
"$PF" check --time 10m --grace 1m --jobs 1 --state m -- "$PWD/many" >stopped.out 2>stopped.err &
pid=$!
until_true test -e held
kill -INT $pid
rc=0
wait $pid || rc=$?
[[ $rc == 66 ]] || fail "exit status after SIGINT while trying: $rc"
has stopped.out "pf: incomplete: the check was interrupted"
hasnt stopped.out "not decided"
compgen -G "m/check/*/clips/*/*.clip" >/dev/null || fail "the results of the tries are lost"
grep -q '"kind":"hatch".*"how":"stopped"' m/check/*/journal || fail "not stopped in a hatch step: $(cat m/check/*/journal)"
gone many || fail "a process is still running"
status 66 "$PF" check --continue --runs 1 --state m
hasnt out "incomplete"
grep -q '"kind":"hatch".*"how":"ended"' m/check/*/journal || fail "the hatch step was not repeated"
# When nothing was found, the exit status is that of the signal.
"$PF" check --time 10m --state n --quiet -- "$PWD/stays" >stopped.out 2>stopped.err &
pid=$!
until_true there stays
kill -INT $pid
rc=0
wait $pid || rc=$?
[[ $rc == 130 ]] || fail "exit status after SIGINT without findings: $rc"
gone stays || fail "a process is still running"

# Killed: all processes end, nothing that was written is lost, and --continue resumes.
"$PF" check --time 10m --runs 100000 --state k -- "$PWD/racy" >/dev/null 2>killed.err &
pid=$!
until_true grep -q "1 confirmed" killed.err
status 2 "$PF" check --continue --state k
has err "in use by another pf check"
status 66 "$PF" report --state k
has out "pf: incomplete: a check is still running"
kill -KILL $pid
wait $pid || true
until_true gone racy
until_true flock -n k/check/*/lock true # the supervisor may hold the lock a moment longer
status 66 "$PF" report --state k
has out "1 finding: 1 confirmed"
has out "pf: incomplete: the check was interrupted"
status 66 "$PF" check --continue --runs 1 --state k -- "$PWD/racy"
hasnt out "incomplete"
status 2 "$PF" check --continue --state k -- ./stays
has err "has no check of this program to continue"
cp stays racy
status 2 "$PF" check --continue --state k
has err "the program was rebuilt since"
