# pf check obeys PF_OPTIONS and the program's own suppressions in every stage, as pf run does.
cp "$ROOT/test/shell/part/check_options_own.c" own.c
echo 'race:^f$' >hidden
"$PF" cc -g -O0 -pthread own.c -o plain
status 66 "$PF" check --runs 1 --state s0 -- ./plain
has out "1 finding: 1 confirmed"
PF_OPTIONS=suppressions=hidden status 0 "$PF" check --runs 1 --state s2 -- ./plain
has out "0 findings"
PF_OPTIONS=report_bugs=0 status 0 "$PF" check --runs 1 --state s3 -- ./plain
has out "0 findings"
# The exit status for findings is the one that the user sets; the steps of the check ignore it.
PF_OPTIONS=exitcode=7 status 7 "$PF" check --runs 1 --state s4 -- ./plain
has out "1 finding: 1 confirmed"
hasnt out "incomplete"
PF_OPTIONS=exitcode=0 status 0 "$PF" check --runs 1 --state s5 -- ./plain
has out "1 finding: 1 confirmed"
# A free run that pf check calls full samples nothing, even if PF_OPTIONS asks for it. So does pf
# run --sample=full.
PF_OPTIONS=sample=atexrace status 66 "$PF" check --runs 1 --state s6 -- ./plain
cat s6/check/*/.runs/*/*.pflog >log
has log '"type":"end"'
hasnt log '"sample":'
PF_OPTIONS=sample=atexrace:quiet=1 status 66 "$PF" run --log s7 --sample=full ./plain
PF_OPTIONS=sample=atexrace:quiet=1 status 66 "$PF" run --log s8 ./plain
cat s7/*.pflog >log7
cat s8/*.pflog >log8
hasnt log7 '"sample":'
has log8 '"sample":'

# An option that the runtime refuses is named. The build is not blamed.
refused() { # OPTION MESSAGE
    PF_OPTIONS=$1 status 2 "$PF" check --runs 1 --state "refused.$1" -- ./plain
    has out "pf: incomplete: a recording: $PWD/plain: $2"
    hasnt err "was the program built"
    PF_OPTIONS=$1 status 2 "$PF" record -o refused.clip -- ./plain
    has err "pf record: $PWD/plain: $2"
}
refused bogus=1 "PF_OPTIONS: unknown option 'bogus'"
refused suppressions=nofile "nofile: cannot read the suppressions"

"$PF" cc -g -O0 -pthread -DOWN own.c -o own
status 0 "$PF" check --runs 2 --state own.s -- ./own
has out "0 findings"
# pf hatch and pf predict obey them too.
status 0 "$PF" record -o own.clip -- ./own
status 0 "$PF" hatch own.clip
has out "suppressed by the program"
status 0 "$PF" predict own.clip
has out "1 result suppressed by the program"
PF_OPTIONS=suppressions=hidden status 0 "$PF" record -o plain.clip -- ./plain
status 0 "$PF" hatch plain.clip
has out "suppressed by the program"
status 0 "$PF" report --state own.s
has out "0 findings"
# Each program of a list has its own options.
printf './own\n./plain\n' >tests
status 66 "$PF" check --runs 1 --state list.s --suite tests
has out "1 finding: 1 confirmed"

# A program that does not do its work in every run: the summary says so.
status 0 "$PF" cc "$ROOT/test/shell/part/check_options_refuses.c" -o refuses
status 0 "$PF" check --runs 1 --state refuses.s -- ./refuses made
has out "note: the program fails if the files of its first run are there"
touch removed
status 0 "$PF" check --runs 1 --state removes.s -- ./refuses removed now
has out "note: the program ended with status 0 in the first run and with status 1 in all later free runs and recordings: the first run may have changed files that they need"
status 0 "$PF" check --runs 1 --state fails.s -- ./refuses
has out "note: the program ended with status 3 in every free run and recording"
# Other schedules may end in another way: the note is about free runs and recordings only.
status 0 "$PF" cc -g -pthread "$ROOT/test/shell/part/success_is_not_harm.c" -o ready
status 66 "$PF" check --runs 1 --state ready.s -- ./ready
has out "primary: status 0; alternate: status 3"
sed -i '/"kind":"run"/s/"wait":[0-9]*/"wait":768/' ready.s/check/*/journal # a matter of chance
status 66 "$PF" report --state ready.s
has out "note: the program ended with status 3 in every free run and recording"
# A state folder that cannot be made: the reason is that of the outermost folder.
status 2 "$PF" check --state /sys/no/state -- ./plain
has err "/sys/no/state"
hasnt err "No such file or directory"
