# The memory that code without events can reach: two library calls are ordered through memory that
# both reach. If pf considered this memory unreachable, the accesses around the calls would be
# reported as a race.
cp "$ROOT/test/shell/part/reach_lib.c" lib.c
cp "$ROOT/test/shell/part/reach_main.c" main.c
clang-19 -O1 -shared -fPIC -o liblib.so lib.c
# case NAME RACES 'before' 'set' 'await' [OPTION...]: pf predict must predict RACES races. Without
# an option --globals, the file says that the library has no data of its own, unless NAME ends with
# _default.
printf 'liblib.so* -\n' >none.txt
case_() {
    local name=$1 races=$2 globals=(--globals none.txt)
    [[ $name == *_default || " $* " == *" --globals "* ]] && globals=()
    "$PF" cc -O1 -g -I"$ROOT/include" "-DBEFORE=$3" "-DSET=$4" "-DAWAIT=$5" main.c -o "$name" -L. -llib -Wl,-rpath,"$PWD" \
        -rdynamic -pthread
    shift 5
    status 0 "$PF" record --trace "$@" "${globals[@]}" -o "$name.clip" -- "./$name"
    status $((races ? 66 : 0)) "$PF" predict "$name.clip"
    has out "predict: $races race"
}
m='(volatile int *)(mapped + 20480)'
case_ mapping 0 '' 'lib_set_at(mapped)' 'lib_await_at(mapped)'
case_ apart 1 '*(int *)(mapped2 + 12288) = 1' 'lib_set_at(mapped)' 'lib_await_at(mapped2)'
case_ through 0 "one.flag = two.flag = $m" 'lib_set(&one)' 'lib_await(&two)'
case_ through_full 0 "one.flag = two.flag = $m" 'lib_set(&one)' 'lib_await(&two)' --reach=full
case_ last 0 '' 'lib_set_last(SOME, &flag)' 'lib_await_last(SOME, &flag)'
case_ pair 0 '' 'lib_set_pair((struct pair){1, &flag})' 'lib_await_pair((struct pair){2, &flag})'
case_ word 0 '' 'lib_set_word((union word){.flag = &flag})' 'lib_await_word((union word){.flag = &flag})'
# Two adjacent blocks are recorded as one range; both are reached.
case_ blocks 0 'both[0] = calloc(1, 24), both[1] = calloc(1, 24)' 'lib_set_second(both)' 'lib_await_int(both[1])'
# The set of a call is cached until recorded code writes into it.
again='lib_look(&one), lib_look(&two)'
case_ kept 0 "$again, $again" "one.flag = $m, lib_look(&one), lib_set(&one)" \
    "two.flag = $m, lib_look(&two), lib_await(&two)"
case_ kept_full 0 "$again, $again" "one.flag = $m, lib_look(&one), lib_set(&one)" \
    "two.flag = $m, lib_look(&two), lib_await(&two)" --reach=full
# A call preserves the vector registers.
case_ vectors 1 'lib_double(factor * 3, &one, &result); if (result != 7.5) return 3' "" ""
# Calls that are nested too deeply for the table: the last one reaches everything. The innermost one
# sets the flag, in memory that the outer ones do not reach.
case_ deep 0 '' 'deeper(200)' 'lib_await_at(mapped)'
# Variables that a library uses by name must be declared, by the program or for the library; other
# variables are not known.
case_ unsaid 1 '' 'lib_set_gate()' 'lib_await_gate()'
case_ said 0 'PF_GLOBAL(gate)' 'lib_set_gate()' 'lib_await_gate()'
printf '# of our library\nlibother.so* x\nliblib.so* gat? # its gate\n' >globals.txt
case_ configured 0 '' 'lib_set_gate()' 'lib_await_gate()' --globals globals.txt
sed -i 's/gat?/nothing -/' globals.txt
case_ configured_not 1 '' 'lib_set_gate()' 'lib_await_gate()' --globals globals.txt
# A library's own data has no name in the program; any variable of the program can represent it.
case_ own 1 '' 'lib_set_own()' 'lib_await_own()'
printf 'liblib.so* - factor\n' >globals.txt
case_ own_said 0 '' 'lib_set_own()' 'lib_await_own()' --globals globals.txt
# By default an object of its own represents the data of a library, and so also what it does with
# variables of the program that it uses by name.
case_ own_default 0 '' 'lib_set_own()' 'lib_await_own()'
case_ unsaid_default 0 '' 'lib_set_gate()' 'lib_await_gate()'
# The lock that a library takes is in the trace: both calls use it, so data under it may order them.
case_ locked 0 '' 'lib_set_locked()' 'lib_await_locked()'
for policy in random:1 pos:2 random:5; do
    status 0 "$PF" record --schedule=$policy --globals none.txt -o locked.clip -- ./locked
    status 0 "$PF" predict locked.clip
done
status 2 "$PF" record --globals nowhere.txt -o x.clip -- ./said
has err "nowhere.txt: No such file"
status 2 "$PF" record --reach=half -o x.clip -- ./said
has err "--reach=half"
# A modelled function of the C++ library reaches the memory that it accesses, and not what that
# memory points to.
cp "$ROOT/test/shell/part/reach_known.cpp" known.cc
known() { # RACES 'first' 'second'
    "$PF" c++ -O0 -g "-DFIRST=$2" "-DSECOND=$3" known.cc -o known -pthread
    status 0 "$PF" record --trace -o known.clip -- ./known
    status $(($1 ? 66 : 0)) "$PF" predict known.clip
    has out "predict: $1 race"
}
known 1 'one->name.append(" and a text that does not fit")' 'two->name.append(" and more")'
known 0 'one->name.append(" and more")' 'one->name.append(" and more")'
known 1 'numbers[1] = 1' 'others[1] = 2'
