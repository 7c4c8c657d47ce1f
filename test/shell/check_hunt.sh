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
