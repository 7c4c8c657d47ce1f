# Shared libraries: linked without the runtime, bound to the executable's runtime, with their own
# tables, also when they are loaded and unloaded at run time. Races are found on both sides.
cp "$ROOT/test/shell/part/shared_library_lib.h" lib.h
cp "$ROOT/test/shell/part/shared_library_lib.c" lib.c
cp "$ROOT/test/shell/part/shared_library_main.c" main.c
cp "$ROOT/test/shell/part/shared_library_load.c" load.c
for linker in bfd lld; do
    status 0 "$PF" cc -O1 -fPIC -shared -fuse-ld=$linker lib.c -o libx.so
    # Many build systems forbid undefined symbols; those of the runtime must still be accepted.
    for words in -Wl,--no-undefined -Wl,-z,defs "-Xlinker --no-undefined"; do
        read -r -a strict <<<"$words"
        status 0 "$PF" cc -O1 -fPIC -shared -fuse-ld=$linker lib.c "${strict[@]}" -o libstrict.so
    done
    nm -D libx.so >symbols
    has symbols "U __pf_"
    hasnt symbols "T __pf_"
    status 0 "$PF" cc -O1 -fuse-ld=$linker main.c -o main -L. -lx -Wl,-rpath,.
    status 66 ./main
    has err "bump lib.c:6"
    has err "bump lib.c:7"
    has out done
    status 0 "$PF" cc -O1 -fuse-ld=$linker load.c -o load
    status 66 ./load
    has err "bump lib.c:6"
    has out done
done
