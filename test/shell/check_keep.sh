# pf check --keep: recordings without findings are removed, the oldest first; clips of findings
# stay.
cp "$ROOT/test/shell/part/check_explores_account.c" account.c
"$PF" cc -g -O1 -pthread -DSAFE=0 account.c -o account
status 2 "$PF" check --keep much -- ./account
has err "--keep=much: expected a size"
status 2 "$PF" check --keep 16777216T -- ./account # 2^64 bytes
has err "--keep=16777216T: expected a size"
clips() { find s/check -name '*.clip' | wc -l; }
used() { python3 - <<'END'
import glob, json, os
out = set()
for document in glob.glob("s/check/*/found/*.json"):
    for f in json.load(open(document))["findings"]:
        folder = os.path.dirname(os.path.dirname(document))
        out |= {os.path.join(folder, f[k]) for k in ("clip", "recording") if f.get(k)}
print("\n".join(sorted(out)))
END
}
# The default limit removes nothing.
status 66 "$PF" check --runs 3 --quiet --state s -- ./account
before=$(clips)
used >need
(($(wc -l <need) < before)) || fail "every recording has findings: there is nothing to remove"
# A limit that nothing fulfils: only what findings need is left, in this check and in the one
# before.
status 66 "$PF" check --runs 3 --keep 0 --quiet --json now.json --state s -- ./account
used >need
find s/check -name '*.clip' | sort >left
diff need left || fail "expected exactly the clips of findings"
for clip in $(python3 -c 'import json; print(*(f["clip"] for f in json.load(open("now.json"))["findings"] if f["clip"]))'); do
    "$PF" replay "$clip" >/dev/null 2>&1 || [[ $? == 134 || $? == 0 ]] || fail "$clip does not replay"
done
status 66 "$PF" report --state s
# A limit that is exceeded a little: the oldest recording is removed.
rm -r s
status 66 "$PF" check --runs 3 --quiet --state s -- ./account
status 66 "$PF" check --runs 2 --quiet --state s -- ./account
first=$(ls s/check | head -1)
[[ -e s/check/$first/clips/1.clip ]] || fail "the default limit has removed a recording"
size=$(du -s --block-size=1K s/check | cut -f1)
status 66 "$PF" check --runs 2 --keep "${size}K" --quiet --state s -- ./account
[[ ! -e s/check/$first/clips/1.clip ]] || fail "the oldest recording is still there"
# A resumed check does without the recordings that were removed.
status 66 "$PF" check --continue --runs 2 --keep 0 --quiet --state s
