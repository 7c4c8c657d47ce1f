# Races that every free run shows, and that only some recordings show, are confirmed, each with its
# own command.
program=$ROOT/test/program
confirms() # SOURCE LEVEL: pf check confirms all findings, and prints as many commands
{
    local name n compiler
    name=$(basename "${1%.*}").$2
    [[ $1 == *.cpp ]] && compiler=c++ || compiler=cc
    status 0 "$PF" $compiler "-$2" -g -fno-inline -DORDER_FREE -I"$program" -pthread "$program/$1" -o "$name"
    status 66 "$PF" check --runs 4 --state "$name.s" --json "$name.json" -- "./$name"
    n=$(python3 -c 'import json, sys; print(len(json.load(open(sys.argv[1]))["findings"]))' "$name.json")
    [[ $(grep -c "See it again, every time: pf replay" out) == "$n" ]] || fail "$name: $n findings, and another number of commands"
}
confirms atomic/fence_old_racy.c O1       # a fence that is too early
confirms atomic/stack_racy.c O1           # one thread gets to its access only after the other one
confirms sync/lock_destroyed_racy.c O1    # a lock function against the destruction of the lock
confirms group/struct_copy_racy.c O1      # several findings with one cause
confirms cxx/string_racy.cpp O0           # memcpy that the C++ library calls
confirms basic/heap_publish_racy.c O1    # an access against the allocation of its memory
