# LiteRace: of each function, a thread watches the first ten calls, then ten of a hundred, of a
# thousand, of ten thousand. A race in a watched call has two complete stacks, including unwatched
# callers.
cp "$ROOT/test/shell/part/sample_literace_race.c" race.c
status 0 "$PF" cc -g -O2 -I"$ROOT/test/program" -o race race.c -pthread
# Watched calls of touch(): the 1st to 10th, the 101st to 110th, the 1101st, the 11101st, ...
for n in 0 9; do
    status 66 "$PF" run --sample=literace -- ./race $n 0
done
for n in 10 99 110 1099 1110 11099 11110 21099; do
    status 0 "$PF" run --sample=literace -- ./race $n 0
done
for n in 100 109 1100 1109 11100 11109 21100; do
    status 66 "$PF" run --sample=literace -- ./race $n 0
done
# main's caller() is no longer watched when touch() is watched again, but still on its stack.
status 66 "$PF" run --sample=literace -- ./race 100 10
has err "#0 touch"
has err "#1 caller"
has err "#2 main"
has err "#2 other"
status 0 env PF_OPTIONS=sample=literace ./race 10 0
status 2 env PF_OPTIONS="sample='literace:3'" ./race 0 0
has err "literace:3"
# Locks taken while nothing was watched count as held. Of the two that caller() takes, the first was
# released. Under `cross`, main() and caller() are not watched, and touch() from its second
# iteration on.
cp "$ROOT/test/shell/part/sample_literace_locks.c" locks.c
status 0 "$PF" cc -g -O2 -I"$ROOT/test/program" -o locks locks.c -pthread
for policy in full literace cross; do
    status 66 "$PF" run --sample=$policy --json locks.json -- ./locks 1000
    python3 - <<'END'
import json
accesses = [a for f in json.load(open("locks.json"))["findings"] for a in f["accesses"]]
locks = {(a["stack"][1]["function"], tuple(a["locks"])) for a in accesses}
assert locks == {("caller", ("held",)), ("other", ())}, locks
END
done
# A plain body has no frame for calls of mathematical functions, and one for all other calls.
cp "$ROOT/test/shell/part/sample_literace_math.c" math.c
status 0 "$PF" cc -g -O2 -fno-builtin -I"$ROOT/test/program" -o math math.c -pthread -lm
status 66 "$PF" run --sample=literace -- ./math
has err "#0 touch"
has err "#1 outer"
has err "#2 main"
