# LiteRace: locks and frames of unwatched functions. program/sample/literace_calls.c tests which
# calls are watched.
status 0 "$PF" cc -g -O2 -I"$ROOT/test/program" -o race "$ROOT/test/program/sample/literace_calls.c" -pthread
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
