# Suppressions: only the number of hidden findings is visible; files with errors are refused with
# the line.
cp "$ROOT/test/shell/part/run_suppressions_race.c" race.c
status 0 "$PF" cc -g -O1 -I"$ROOT/test/program" -o race race.c -pthread
try() {
    printf '%s\n' "$2" >supp
    status "$1" "$PF" run --json out.json --suppressions supp -- ./race
}
for line in race:store race:^store\$ race_top:store race:race.c race:^shared\$ "race:store <- other" \
    "race:... <- main" "race:store <- main" "race:/race\$"; do
    try 3 "$line"
    hasnt err "WARNING"
    has err "suppressed 1 finding"
    has err "1 $line"
    has out.json '"suppressed":1,'
    has out.json '"findings":[]'
done
for line in race:nothing race_top:other mutex:store "race:other <- store" "# race:store" ""; do
    try 66 "$line"
    has err "WARNING"
    has out.json '"suppressed":0'
done
for bad in "race|supp:1: expected type:pattern" "rce:store|supp:1: unknown type (known: race race_top" "race:|supp:1: the pattern is empty" \
    "race_top:a <- b|supp:1: race_top: and called_from_lib:"; do
    try 2 "${bad%%|*}"
    has err "${bad#*|}"
done
printf '# fine\n\nrace:a\noops\n' >supp
status 2 "$PF" run --suppressions supp -- ./race
has err "supp:4: expected type:pattern: oops"
status 2 "$PF" run --suppressions missing -- ./race
has err "missing: No such file"

# The output of --gen-suppressions works.
status 66 "$PF" run --gen-suppressions -- ./race
grep -A 1 '^# race' err >supp
status 3 "$PF" run --suppressions supp -- ./race
hasnt err "WARNING"

# File names that need quoting in PF_OPTIONS.
mkdir "odd: it's, here"
echo race:store >"odd: it's, here/supp"
status 3 "$PF" run --suppressions "odd: it's, here/supp" -- ./race

# A suppression hides what it names, not the same code on another variable or with another call
# path.
cp "$ROOT/test/shell/part/run_suppressions_two.c" two.c
status 0 "$PF" cc -g -I"$ROOT/test/program" -o two two.c -pthread
for line in race:^mine\$ "race:... <- by_one"; do
    echo "$line" >supp
    status 66 "$PF" run --suppressions supp -- ./two
    has err "Location is global 'yours'"
    hasnt err "Location is global 'mine'"
    has err "suppressed 1 finding"
done
printf 'race:^mine$\nrace:by_other\n' >supp
status 3 "$PF" run --suppressions supp -- ./two
