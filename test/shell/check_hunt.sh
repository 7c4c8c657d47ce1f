# pf check --hunt finds a race that the given input cannot reach, judges it, and reports the input.
cp "$ROOT"/bench/subject/hunt/background_option.c "$ROOT"/bench/subject/hunt/hunt.h .
"$PF" cc -g -O1 -pthread background_option.c -o plain
status 2 "$PF" check --hunt --time 5s -- ./plain --cleanup-now
has err "./plain: has no symbolic code; build it with pf cc --symbolic"
"$PF" cc --symbolic -g -O1 -pthread background_option.c -o program
status 2 "$PF" check --hunt --server true -- ./program
has err "--hunt cannot be used with --server or --for"
status 66 "$PF" check --hunt --time 60s --json out.json -- ./program --cleanup-now
has out "in hunts for other inputs"
has out "It needs another input: "
python3 - <<'END'
import json, os, subprocess
d = json.load(open("out.json"))
(f,) = d["findings"]
assert f["status"] == "confirmed" and f["judged"]["class"] != "undecided", f
assert os.path.isfile(f["input"]["folder"] + "/argv[1]"), f["input"]
assert subprocess.run(["sh", "-c", f["input"]["command"]], cwd="/", capture_output=True).returncode in (0, 66), f["input"]
assert subprocess.run([os.environ["PF"], "replay", "--quiet", f["clip"]], capture_output=True).returncode == 0, f["clip"]
assert d["check"]["hunted"] > 1, d["check"]
END
status 66 "$PF" report
has out "It needs another input: "

# Stopped during a hunt: what it has found so far is reported. --continue repeats the step.
cp "$ROOT/test/shell/part/check_hunt_long.c" long.c
"$PF" cc --symbolic -g -O1 -pthread long.c -o long
"$PF" check --hunt --time 10m --grace 1m --state long.s -- ./long aaaa >stopped.out 2>stopped.err &
pid=$!
for _ in $(seq 600); do
    if grep -q "hunting with other inputs: 1 confirmed" stopped.err || compgen -G "long.s/check/*/hunt-0/hunt/found/*" >/dev/null; then break; fi
    kill -0 $pid || break
    sleep 0.1
done
kill -INT $pid
rc=0
wait $pid || rc=$?
[[ $rc == 66 ]] || fail "exit status after SIGINT in a hunt: $rc"
has stopped.out "1 finding: 1 confirmed"
has stopped.out "It needs another input: "
has stopped.out "pf: incomplete: the check was interrupted"
grep -q '"kind":"hunt".*"how":"stopped"' long.s/check/*/journal || fail "not stopped in a hunt: $(cat long.s/check/*/journal)"
status 66 "$PF" check --continue --time 10s --state long.s
has out "1 finding: 1 confirmed"
