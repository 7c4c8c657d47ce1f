# Logs damaged at random: pf report answers or refuses with a message, and never crashes.
cp "$ROOT/test/shell/part/report_race.c" race.c
status 0 "$PF" cc -g -I"$ROOT/test/program" -o race race.c -pthread
status 66 "$PF" run --quiet --log logs -- ./race
python3 - "$PF" <<'EOF'
import glob, json, os, random, subprocess, sys

pf, rand = sys.argv[1], random.Random(7)
(log,) = glob.glob("logs/*.pflog")
good = open(log, "rb").read()
os.mkdir("bad")


def damage_value(v):
    """Somewhere in the tree, a value of another type, or none."""
    if isinstance(v, (dict, list)) and v and rand.random() < 0.9:
        k = rand.choice(list(v) if isinstance(v, dict) else range(len(v)))
        if rand.random() < 0.2:
            del v[k]
        else:
            v[k] = damage_value(v[k])
        return v
    return rand.choice([None, -1, 2**62, "", "x", "T", "0x", [], {}, True, 1.5, "T99999999999999999999", [[]]])


def damaged(n):
    if n % 2:
        b = bytearray(good)
        for _ in range(rand.randint(1, 8)):
            at = rand.randrange(len(b))
            b[at : at + rand.randint(0, 2)] = bytes(rand.randrange(256) for _ in range(rand.randint(0, 2)))
        return bytes(b)
    lines = [json.loads(line) for line in good.splitlines()]
    for _ in range(rand.randint(1, 3)):
        lines[rand.randrange(len(lines))] = damage_value(lines[rand.randrange(len(lines))])
    return b"".join(json.dumps(x).encode() + b"\n" for x in lines)


for n in range(400):
    text = damaged(n)
    open("bad/1.1.pflog", "wb").write(text)
    r = subprocess.run([pf, "report", rand.choice(["--text", "--json"]), "bad"], capture_output=True)
    fine = r.returncode in (0, 66) or (r.returncode == 2 and b"bad/1.1.pflog:" in r.stderr)
    if not fine:
        sys.exit(f"round {n}: status {r.returncode}, {r.stderr!r}; see bad/1.1.pflog")
EOF
