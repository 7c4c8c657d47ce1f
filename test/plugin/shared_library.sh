# Shared libraries: linked without the runtime, bound to the executable's runtime, with their own
# tables, also when they are loaded and unloaded at run time. Races are found on both sides.
cat >lib.h <<'END'
extern int counter;
void bump(void);
END
cat >lib.c <<'END'
#include "lib.h"
int counter;
static int hidden;
void bump(void)
{
    counter++;
    hidden++;
}
END
cat >main.c <<'END'
#include "lib.h"
#include <pthread.h>
#include <stdio.h>
static void *work(void *arg) { bump(); return arg; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    bump();
    pthread_join(t, 0);
    puts("done");
    return 0;
}
END
cat >load.c <<'END'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
static void (*bump)(void);
static void *work(void *arg) { bump(); return arg; }
int main(void)
{
    for (int i = 0; i < 2; i++) {
        void *lib = dlopen("./libx.so", RTLD_NOW);
        if (!lib)
            return puts(dlerror()), 1;
        bump = (void (*)(void))dlsym(lib, "bump");
        pthread_t t;
        pthread_create(&t, 0, work, 0);
        bump();
        pthread_join(t, 0);
        dlclose(lib);
    }
    puts("done");
    return 0;
}
END
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
