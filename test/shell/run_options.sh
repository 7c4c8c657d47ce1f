# PF_OPTIONS: TSan's names and syntax; an unknown or invalid option stops the program before it
# starts.
cp "$ROOT/test/shell/part/run_options_race.c" race.c
status 0 "$PF" cc -g -I"$ROOT/test/program" -o race race.c -pthread
run() {
    status "$1" env PF_OPTIONS="$2" ./race
}
run 66 ""
has out "ended"
has err "WARNING: photofinish: data race (pid="
has err "SUMMARY: photofinish: data race race.c:"
has err "Location is global 'shared' of size 4"
has err "photofinish: reported 1 warning"
run 7 "exitcode=7"
run 3 "exitcode=0"
run 3 "report_bugs=0"
hasnt err "WARNING"
run 66 "halt_on_error=1"
hasnt out "ended"
run 134 "halt_on_error=1:abort_on_error=1"
run 66 "print_summary=0 history_size=7,verbosity=1"
hasnt err "SUMMARY"
has err "photofinish: watching process"
run 66 "quiet=1"
hasnt err "photofinish"
run 66 "color=always"
has err $'\033[1m'
run 66 "color=never"
hasnt err $'\033[1m'
run 66 "log_path='$PWD/with blank'"
hasnt err "WARNING"
has "$(echo with\ blank.*)" "WARNING"
run 66 "log_path=$PWD/nowhere/log"
has err "nowhere/log."
has err "cannot be written, reports go to stderr"
has err "WARNING"
run 66 "log_path=stdout"
has out "WARNING"
run 66 "help=1"
has err "halt_on_error (default 0)"
has err "history_size: ignored"
run 66 "gen_suppressions=1"
has err "race:^"

for bad in "halt_on_eror=1|unknown option 'halt_on_eror'" "exitcode=x|expected a number for option 'exitcode'" \
    "halt_on_error=2|expected 0 or 1 for option 'halt_on_error'" "halt_on_error|expected name=value, found 'halt_on_error'" \
    "color=red|expected auto, always or never" "suppressions='x|no closing quote" "suppressions=missing.txt|missing.txt"; do
    run 2 "${bad%%|*}"
    has err "${bad#*|}"
    hasnt out "begun"
    status 2 env PF_OPTIONS="${bad%%|*}" "$PF" run -- ./race
    has err "${bad#*|}"
done

# pf run passes on the user's options and appends its own.
status 9 env PF_OPTIONS="exitcode=9" "$PF" run --quiet -- ./race
hasnt err "WARNING"

# docs/options.md has every option.
run 66 "help=1"
for name in $(awk '/\(default /{ print $1 }' err); do
    grep -q "^| \`$name\` |" "$ROOT/docs/options.md" || fail "docs/options.md does not have $name"
done
