# A program that refuses to overwrite the files of its first run is checked as if they were not
# there.
"$PF" cc -O0 -g -pthread "$ROOT/test/shell/part/hatch_once.c" -o once
status 66 "$PF" check --runs 2 --state s -- ./once
has out "all later recordings do not see these files"
has out "complete for this input: 2 executions are possible"
has out "1 finding: 1 confirmed"
[[ -e once.out ]] || fail "the file of the first run is gone"
command=$(sed -n 's/.*See it again, every time: pf //p' out)
mkdir elsewhere
mv once s elsewhere
(cd elsewhere && status 0 "$PF" $command && has err "shown: the race of")
# A check that is continued hides the files, too.
mv elsewhere/* .
status 66 "$PF" check --state s --continue
has out "1 finding: 1 confirmed"
# The file was there before the check: it is the user's.
status 0 "$PF" check --runs 1 --state t -- ./once
has out "ended with status 1 in every free run and recording"
status 66 "$PF" explore --state x -- ./once
has out "exit status 1 in schedule 1"
printf 'absent:%s/once.out=\n' "$PWD" >patch
status 0 "$PF" explore --state x --patch patch -- ./once
has out "explore: 2 schedules, 2 different executions"
