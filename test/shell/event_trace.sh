# The contents of a full recording: accesses, atomics, copies, calls into code without events, and
# excluded functions. The schedule alone leads to the same results.
clang-19 -DPF_CHANNEL_VERSION=0 -I"$ROOT/src/clip" -I"$ROOT/src/abi" -I"$ROOT/src/base" -o show "$ROOT/test/run/show_events.c" \
    "$BUILD/src/clip/libpf_clip.a" "$BUILD/src/base/libpf_base.a" -lzstd -lxxhash
cat >lib.c <<'C'
struct node { struct node *next; int *value; };
int lib_sum(struct node *n, int (*f)(int))
{
    int sum = 0;
    for (; n; n = n->next)
        sum += f(*n->value);
    return sum;
}
C
cat >main.c <<'C'
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
struct node { struct node *next; int *value; };
int lib_sum(struct node *n, int (*f)(int));
int x, y = 5, z;
atomic_int a;
struct large { long l[20]; } from, to;
static int callback(int v) { z += v; return v + 1; }
__attribute__((noinline)) static void inner(int *p) { *p += 1; }
__attribute__((noinline)) void helper(int *p) { *p += 1; inner(p); x++; }
static void *work(void *arg)
{
    struct node *second = malloc(sizeof *second), *first = malloc(sizeof *first);
    *second = (struct node){NULL, malloc(sizeof(int))};
    *first = (struct node){second, &y};
    *second->value = 7;
    x = lib_sum(first, callback);
    helper(&y);
    atomic_fetch_add(&a, 2);
    to = from;
    y = 1;
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    printf("%d %d %d\n", x, y, z);
    return 0;
}
C
clang-19 -O1 -shared -fPIC -o liblib.so lib.c
status 0 "$PF" cc -O1 -g -o prog main.c -pthread -L. -llib -Wl,-rpath,"$PWD"
status 0 "$PF" record --trace -o all.clip -- ./prog
has out "15 1 12"
status 0 "$PF" replay all.clip
has out "15 1 12"
status 0 ./show all.clip
grep "^T1" out | cut -d' ' -f3- | sed -n '/call lib_sum/,$p' | grep -v '^end ' >stream
diff - stream <<'E2'
call lib_sum 0 =1 work:19
+call lib_sum 4 work:19
+call lib_sum 68 work:19
read z =0 callback:10
write z =5 callback:10
read z =5 callback:10
write z =c callback:10
+ret lib_sum work:19
write x =e work:19
read - =5 helper:12
write - =6 helper:12
read - =6 inner:11
write - =7 inner:11
read x =e helper:12
write x =f helper:12
rmw a =2 old=0 work:21
read from work:22
+write to work:22
write y =1 work:23
E2
status 0 "$PF" record --trace --exclude='he?per' -o some.clip -- ./prog
has out "15 1 12"
status 0 ./show some.clip
grep "^T1" out | cut -d' ' -f3- | sed -n '/call helper/,/ret helper/p' | grep -v '+call' >stream
sed -i 's/^call helper [0-9]* =[0-9a-f]*/call helper/' stream
diff - stream <<'E2'
call helper work:20
read - =6 inner:11
write - =7 inner:11
+ret helper work:20
E2

# Functions excluded by the name of their source file. A message reports that an excluded function
# was inlined and has events in its callers.
cat >part.c <<'C'
int sum;
void part_add(int *p) { sum += *p; }
void part_both(int *p) { part_add(p), part_add(p); }
C
cat >whole.c <<'C'
void part_both(int *p);
int z = 2;
static void small(int *p) { (*p)++; }
int main(void) { part_both(&z); small(&z); return 0; }
C
status 0 "$PF" cc -O1 -g -o whole whole.c part.c
for glob in part.c 'par?.*' 'other,part_*'; do
    status 0 "$PF" record --exclude="$glob" -o whole.clip -- ./whole
    status 0 "$PF" dump whole.clip
    has out "T0 call? part_both {"
    hasnt out "@part.c"
    has out "write z:4=3 @whole.c"
    hasnt err "inlined"
done
status 0 "$PF" record --exclude=small -o whole.clip -- ./whole
status 0 "$PF" predict whole.clip
has err "small was to be excluded, but it was inlined into its callers and has events there; build with -fno-inline"

# A function of another file that does nothing is not code without events, and neither is an
# interposed function; a function whose code is opaque is.
cat >quiet.c <<'C'
int *quiet(int *p) { return p + 1; }
int opaque(int *p) { int v; __asm__("movl (%1), %0" : "=r"(v) : "r"(p)); return v; }
C
cat >asks.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static void *(*volatile copy)(void *, const void *, size_t) = memcpy;
static void (*volatile give)(void *) = free;
int *quiet(int *p), opaque(int *p);
int v[2] = {1, 2};
static int *(*volatile by_pointer)(int *) = quiet;
pthread_mutexattr_t attr;
pthread_cond_t cond;
int main(void) { pthread_mutexattr_init(&attr); pthread_cond_init(&cond, NULL); pthread_cond_destroy(&cond); copy(v, v + 1, 0); give(malloc(8)); printf("%d %d %d\n", *quiet(v), opaque(v), *by_pointer(v)); return 0; }
C
status 0 "$PF" cc -O1 -fPIC -shared -o libquiet.so quiet.c
status 0 "$PF" cc -O1 -g -o asks asks.c -L. -lquiet -Wl,-rpath,"$PWD"
status 0 "$PF" record -o asks.clip -- ./asks
has out "2 1 2"
status 0 "$PF" dump asks.clip
has out "call opaque"
hasnt out "call quiet"
hasnt out "call? quiet"
hasnt out "call foreign"
hasnt out "call? foreign"
hasnt out "call pthread"
hasnt out "call? pthread"

# A forked child continues with the same code and writes nothing to the trace of its parent.
cat >forks.c <<'EOF'
#include <sys/wait.h>
#include <unistd.h>
volatile int x;
int main(void)
{
    pid_t child = fork();
    for (int i = 0; i < 1000; i++)
        x++;
    if (!child)
        _exit(0);
    return waitpid(child, 0, 0) != child;
}
EOF
"$PF" cc -g -O1 forks.c -o forks
status 0 "$PF" record --trace -o forks.clip -- ./forks
status 0 "$PF" dump forks.clip
[[ $(grep -c 'write.* x:4=' out) == 1000 ]] || fail "the trace must have the 1000 writes of the parent"
