# A real program from Debian source, built by its own makefile with pf cc and run on real work: the
# smallest one of `make realworld`. Skipped if the source cannot be fetched.
status_of() { "$@" >out 2>err && echo 0 || echo $?; }
rc=$(status_of "$ROOT/bench/realworld" --pf "$PF" --work "$BUILD" --only pbzip2 --flavours native,pf)
if grep -qE "source of [a-z0-9]+: |apt-get update: |no Debian entries" out; then
    echo "skipped: the source cannot be fetched here"
    exit 77
fi
[[ $rc == 0 ]] || fail "exit status $rc"
[[ $(grep -c "results equal, 0 race reports" out) == 4 ]] || fail "expected four equal results"

# pf check on it: no race, as docs/real-programs.md states; the report states what was explored.
pbzip2=$(find "$BUILD/real" -type f -name pbzip2 -perm -u+x -path '*/pf/*' | head -n 1)
[[ -x $pbzip2 ]] || fail "no pbzip2 was built"
seq 1 6000 >data
status 0 "$PF" check --runs 1 --time 5m --json check.json -- "$pbzip2" -p2 -1 -b1 -k -c data
has out "explored: 1 free run; 1 schedule (1 recording,"
has out "0 findings"
status 0 python3 "$ROOT/test/run/schema.py" "$ROOT/docs/format/findings.schema.json" check.json
python3 - <<'END'
import json
d = json.load(open("check.json"))
assert not d["findings"] and d["check"]["events"] > 1000000, d["check"]
END
