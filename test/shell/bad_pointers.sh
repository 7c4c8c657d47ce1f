# shellcheck shell=bash disable=SC2154
# Bad pointers given to interposed functions: a crash inside the function replays as the crash of the
# program, and a call that fails in the kernel fails in a recording too.

step=1
for level in -O0 -O2; do
    clang-19 -w $level "$ROOT/test/run/bad_pointers.c" -o native
    "$PF" cc -w -g $level "$ROOT/test/run/bad_pointers.c" -o directed
    python3 "$ROOT/test/run/bad_pointers.py" "$PF" ./native ./directed $step || fail "$level"
    step=$((step + 3))
done

# The crash is in a function that the runtime can do without glibc.
cat >lock.c <<'C'
#include <pthread.h>
static pthread_mutex_t *volatile p;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int main(void)
{
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(p);
    return 0;
}
C
"$PF" cc -g -O1 lock.c -o lock
for policy in rr:1000 rr:1 random:1 pos:1; do
    status 139 "$PF" record -o lock.clip --schedule=$policy -- ./lock
    status 139 "$PF" replay lock.clip
done
