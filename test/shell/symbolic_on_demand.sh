# Symbolic bodies on demand: symbolic recordings of programs that were built with --on-demand have
# the contents of those built with --symbolic.
export XDG_CACHE_HOME=$PWD/cache
unset PF_PLUGIN_ON_DEMAND
way=--on-demand
source "$ROOT/test/shell/symbolic.sh"

# Functions without a jump to an event body: without visible operations, with variable arguments,
# with structs by value, called directly and through pointers, of this and of another object.
part=$ROOT/test/shell/part
# a table of labels is not in the executable if its function is compiled on demand
shown() { python3 show.py "$1" | grep -v "jump or call through a pointer"; }
for level in O0 O2 Oz; do
    for way in --symbolic --on-demand; do
        "$PF" cc $way -$level -g -fPIC -shared "$part/symbolic_library.c" -o libpart$way.so
        "$PF" cc $way -$level -g "$part/symbolic_jumps.c" -o jumps$way ./libpart$way.so
        status 0 "$PF" record --symbolic --input argv -o j$way.clip -- ./jumps$way 21 abc
        shown j$way.clip >shown$way
    done
    [[ $(wc -l <shown--symbolic) -gt 8 ]] || fail "$(cat shown--symbolic)"
    diff shown--symbolic shown--on-demand
    status 0 "$PF" replay --quiet j--on-demand.clip
done
# Functions that are left out run their plain bodies.
for way in --symbolic --on-demand; do
    status 0 "$PF" record --symbolic --input argv --exclude 'sum*,twice' -o x.clip -- ./jumps$way 21 abc
    shown x.clip >shown$way
done
diff shown--symbolic shown--on-demand
