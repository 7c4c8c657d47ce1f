# Source positions are in a section that is not loaded; the runtime maps it from the file of the
# object when the object is loaded.
source=$ROOT/test/program/basic/plain_4_racy.c
build() { "$PF" cc -g -O2 -I"$ROOT/test/program" "$@" -pthread; }
loaded() { readelf -SW "$1" | awk '$2 == ".pf_sites" || $3 == ".pf_sites" { print $0 ~ / A / ? "loaded" : "not loaded" }'; }
positions() { status 66 "./$1"; grep -o 'plain_4_racy\.c:[0-9]*:[0-9]*' err | sort -u >positions; }

build "$source" -o racy
[[ $(loaded racy) == "not loaded" ]] || fail "sites: $(loaded racy)"
positions racy
cp positions want
[[ $(wc -l <want) -ge 2 ]] || fail "no positions"
# Names of functions and variables are all that the loaded section has.
build -c "$source" -o racy.o
[[ $(size -A racy.o | awk '$1 == "pf_site" { print $2 }') -lt 400 ]] || fail "$(size -A racy.o)"
for flags in -fuse-ld=lld -fuse-ld=gold -no-pie "-ffunction-sections -Wl,--gc-sections" "-fuse-ld=lld -Wl,--gc-sections" -flto --on-demand; do
    case $flags in *gold) command -v ld.gold >/dev/null || continue ;; *lld*) command -v ld.lld >/dev/null || continue ;; esac
    # shellcheck disable=SC2086 # several flags
    build $flags "$source" -o linked
    positions linked
    cmp positions want || fail "$flags: other positions"
done
# strip keeps the section. Without it the report names functions, and the result is incomplete.
strip racy -o stripped
positions stripped
cmp positions want || fail "stripped: other positions"
objcopy --remove-section .pf_sites racy bare
status 66 "$PF" run -- ./bare
has err "cannot read the source positions of ./bare"
has err "1 object without source positions"
has err "WARNING: photofinish: data race"
hasnt err "plain_4_racy.c:$(sed 's/.*:\(.*\):.*/\1/;q' want):"
status 0 env PF_OPTIONS=plain=1 ./bare
hasnt err photofinish
# A library that is loaded and unloaded, and whose file is gone by then.
"$PF" cc -g -O2 -shared -fPIC "$ROOT/test/shell/part/sites_in_file_library.c" -o library.so
build "$ROOT/test/shell/part/sites_in_file.c" -o unloads
status 66 ./unloads ./library.so
has err "sites_in_file_library.c:3:"
[ ! -e library.so ] || fail "the library was not removed"
