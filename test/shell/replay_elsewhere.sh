# docs/ci.md, "At your desk": the program and the state folder of a check are copied to another
# folder, and the first ones are removed. pf replay finds the program by its build.
cp "$ROOT/test/shell/part/replay_elsewhere_bank.c" bank.c
mkdir -p ci/build
"$PF" cc -g -O1 -pthread bank.c -o ci/build/bank
cd ci
status 66 "$PF" check --runs 1 --quiet --json ../bank.json -- build/bank
cd ..
id=$(python3 -c 'import json; print(json.load(open("bank.json"))["findings"][0]["id"])')

# At home: a finding is named by the first digits of its id, and the last line says what was shown.
cd ci
status 0 "$PF" replay "${id:0:6}"
cp out ../home.out
[[ $(tail -n 1 err) == "pf replay: shown: $id, data race on "*"; the program ended with status 0" ]] || fail "the last line: $(cat err)"
status 2 "$PF" replay 0000000
has err "0000000"
cd ..

# The same layout elsewhere, under a longer path.
mkdir -p somewhere/quite/different
mv ci somewhere/quite/different/desk
home=$PWD
cd somewhere/quite/different/desk
status 0 "$PF" replay "${id:0:6}"
cmp out ../../../../home.out
clip=$(ls .photofinish/check/*/clips/*/*.clip | head -n 1)
status 0 "$PF" replay "$clip"
cmp out ../../../../home.out
[[ $(tail -n 1 err) == "pf replay: shown: the race of T"*"; the program ended with status 0" ]] || fail "the last line: $(cat err)"
# Only the clip and the program, next to each other; predictions need no more.
mkdir "$home/d"
cp "$clip" "$home/d/x.clip"
cp .photofinish/check/*/clips/1.clip "$home/d/recording.clip"
mv build/bank "$home/d"
cd "$home"
status 0 "$PF" replay d/x.clip
cmp out home.out
status 66 "$PF" predict d/recording.clip
has err "pf predict: d/recording.clip is from elsewhere; running $home/d/bank"
status 66 "$PF" hatch -o d/tried d/recording.clip
has out "replay it with: pf replay d/tried/"
[[ $(grep -c "is from elsewhere; running $home/d/bank" err) == 1 ]] || fail "pf hatch: $(cat err)"
status 0 "$PF" dump -o d/text d/recording.clip
has err "pf dump: d/recording.clip is from elsewhere; running $home/d/bank"
# A clip that was written here, whose program is where it was.
status 0 "$PF" record -o here.clip -- d/bank
status 0 "$PF" dump -o d/text here.clip
hasnt err elsewhere
# Somewhere else: --program names it.
mkdir far
mv d/bank far/teller
status 2 "$PF" replay d/x.clip
has err "copy it next to the clip, or use --program"
status 0 "$PF" replay --program far/teller d/x.clip
cmp out home.out
# Another build is refused.
"$PF" cc -g -O0 -pthread bank.c -o d/bank
status 2 "$PF" replay d/x.clip
status 2 "$PF" replay --program d/bank d/x.clip
has err "recorded from another build"
