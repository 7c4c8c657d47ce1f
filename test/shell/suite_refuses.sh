# pf suite reports errors with the file and the line, before anything runs.
printf 'int main(void) { return 0; }\n' >one.c
status 0 "$PF" cc -o one one.c
refused() {
    local want=$1
    shift
    status 2 "$PF" suite "$@"
    has err "$want"
    [[ ! -e .photofinish ]] || fail "a state folder was created: $want"
}
bad() {
    printf '%s\n' ./one "$1" >tests
    refused "tests:2: $2" tests
}
refused "no tests given"
for option in --tasks=3 --batch=3 --node-time=1m --shared=. --scratch=. --env=A --collect; do
    refused "${option%%=*} needs --on" "$option" -- ./one
done
for verb in check hunt judge; do
    status 2 "$PF" "$verb" --collect -- ./one
    has err "pf $verb: --collect needs --on"
done
refused "missing: No such file" missing
: >empty
refused "empty: contains no command" empty
refused "give one FILE" a b
bad './nowhere' './nowhere: No such file'
bad 'one.c' 'one.c: not found in PATH'
bad '/bin/true' '/bin/true: not instrumented'
bad './one | cat' "'|' needs a shell"
bad './one $HOME' "'\$' needs a shell"
bad "./one 'open" "unterminated '"
bad './one "open' 'unterminated "'
bad './one \' 'a \ at the end'
bad '@limit=soon ./one' '@limit needs a duration'
bad '@status=999 ./one' '@status needs a number'
bad '@what=1 ./one' 'unknown setting @what'
bad '@name= ./one' 'a setting is @name=value'
for settings in @name=x @status=1 @status=0 A=b; do
    bad "$settings" 'settings, but no command'
done
bad '@dir=nowhere ./one' '@dir=nowhere: No such file'
bad '@input=nowhere ./one' '@input=nowhere: No such file'
bad "''" 'the name of the program is empty'
printf './one\n./one a\0b\n' >tests
refused "tests:2: a 0 byte" tests
echo ./one >tests
refused "--jobs=0: expected a number from 1" --jobs 0 tests
refused "--repeat=x: expected a number from 1" --repeat x tests
refused "--limit=x: expected a duration such as" --limit x tests
refused "is given twice" --sample=full,full tests
refused "; pf suite also has none and native" --sample=none,most tests
refused "tests:1: --sample=native needs the setting @native" --sample=native tests
refused "--overhead is for --sample=atexrace, not for full,literace" --sample=full,literace --overhead 5% tests
refused "--overhead=x: expected 1% to 100%" --sample=full,atexrace --overhead x tests
refused "/nowhere/x: cannot be written" --json /nowhere/x tests
refused "did you mean --repeat?" --repaet 2 tests
refused "nothing: No such file" --suppressions nothing tests

# The state folder: a file, or a folder that cannot be written.
status 2 "$PF" suite --state one.c tests
has err "one.c: Not a directory"
status 2 "$PF" suite --state /proc/none tests
has err "/proc/none: No such file"
if [[ $(id -u) != 0 ]]; then
    mkdir -m 555 closed
    status 2 "$PF" suite --state closed tests
    has err "closed/suite.lock: Permission denied"
fi

# A foreign or damaged database is reported and set aside; pf report refuses it.
set_aside() {
    status 2 "$PF" report s
    has err "s/suite.db: $1"
    status 0 "$PF" suite --state s tests
    has err "pf suite: s/suite.db $1"
    has err "it was renamed to s/suite.db.aside-"
    status 0 "$PF" suite --state s tests
    hasnt err "aside"
    status 0 "$PF" report s
    has out "2 executions of 1 test: 2 passed"
    ls s/suite.db.aside-* >kept
    rm -r s
}
mkdir s
head -c 5000 /dev/urandom >s/suite.db
set_aside "is damaged or not a database"
mkdir s
python3 -c 'import sqlite3; c = sqlite3.connect("s/suite.db"); c.execute("create table t(x)"); c.commit()'
set_aside "is a database of another program"
status 0 "$PF" suite --state s tests
python3 - <<'END'
data = bytearray(open("s/suite.db", "rb").read())
for at in range(4096, len(data), 512):
    data[at : at + 40] = bytes(40)
open("s/suite.db", "wb").write(data)
END
set_aside "is damaged or not a database"
status 0 "$PF" suite --state s tests
python3 -c 'import sqlite3; c = sqlite3.connect("s/suite.db"); c.execute("pragma user_version=99"); c.commit()'
status 2 "$PF" suite --state s tests
has err "written by a newer photofinish (version 99"
status 2 "$PF" report s
has err "written by a newer photofinish (version 99"
