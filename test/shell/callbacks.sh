# Callbacks of code without events: the first and the last event of each one are known, whatever its
# first operation is, and the inner events of two callbacks that run at the same time may race.
cp "$ROOT/test/shell/part/callbacks_lib.c" lib.c
cp "$ROOT/test/shell/part/callbacks_main.c" main.c
clang-19 -O1 -shared -fPIC -o libback.so lib.c
for level in O0 O2; do
    "$PF" cc -$level -g main.c -o main -L. -lback -Wl,-rpath,"$PWD" -pthread
    status 0 "$PF" record --trace -o main.clip -- ./main
    status 0 "$PF" dump main.clip
    # Each callback begins with an event at a line FIRST and ends with one at a line LAST.
    python3 - main.c out <<'END' || fail "the callbacks of -$level are wrong"
import re, sys
lines = open(sys.argv[1]).read().split("\n")
first, last = ({i + 1 for i, text in enumerate(lines) if f"/* {word} */" in text} for word in ("FIRST", "LAST"))
depth, running, seen = 0, None, 0  # running: inner events of the callback so far
for text in open(sys.argv[2]):
    found = re.match(r"\d+ T0 (\w+)\??(~?) .*@main\.c:(\d+)", text)
    if not found or found[1] in ("call", "ret"):
        depth += 0 if not found else 1 if found[1] == "call" else -1
        continue
    line, inner = int(found[3]), found[2] == "~"
    if not depth:
        continue
    seen += line in first and not inner
    if inner and line in last and running == "last":
        sys.exit(f"{text}: marked after the last event")
    running = "last" if line in last and not inner else "inside"
    if not inner and line not in first | last:
        sys.exit(f"{text}: an inner event that is not marked")
if seen < 12:
    sys.exit(f"{seen} callbacks, expected at least 12")
END
done
# The two callbacks overlap in these recordings.
for policy in random:1 random:2 random:3 random:4 random:5 random:6; do
    status 0 "$PF" record --schedule=$policy -o race.clip -- ./main race
    "$PF" predict race.clip >out 2>err || true
    grep -q "predict: [1-9]" out && found=1
done
[[ ${found-} ]] || fail "no race between callbacks was predicted"

# Weak memory: the library synchronises after its callback, so the read after the call returns the
# newest value.
clang-19 -O1 -shared -fPIC -o libweak.so "$ROOT/test/shell/part/callbacks_weak_lib.c"
"$PF" cc -g -O1 "$ROOT/test/shell/part/callbacks_weak.c" -o weak ./libweak.so -pthread
for seed in 1 2; do
    status 0 "$PF" record --memory=weak --schedule=random:$seed -o weak.clip -- ./weak
    [[ $(cat out) == 1 ]] || fail "a stale value"
done

# A pointer that another thread stores in the reachable set of a call, while the call waits, leads
# the call further: rdit does not predict a race between accesses that the call orders.
clang-19 -O1 -shared -fPIC -o libpointer.so "$ROOT/test/shell/part/callbacks_pointer_lib.c"
"$PF" cc -g -O1 "$ROOT/test/shell/part/callbacks_pointer.c" -o pointer ./libpointer.so -pthread
for mode in once full; do
    status 0 "$PF" record --trace --reach=$mode --schedule=rr:1 -o pointer.clip -- ./pointer
    status 0 "$PF" predict --analysis=rdit pointer.clip
    has out "rdit: 0 races"
done
