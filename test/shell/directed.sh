# shellcheck shell=bash disable=SC2154
# Directed mode: the same run every time, deadlock reports with the waits, requested orders.

cat >race.c <<'C'
#include <pthread.h>
#include <stdio.h>
int x;
static void *f(void *a) { for (int i = 0; i < 300; i++) x++; return a; }
int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, f, 0);
    for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
    printf("%d\n", x);
    return x & 63;
}
C
"$PF" cc -O0 -g race.c -o race

# Every policy, each recording replayed: same output, same status. At least one policy loses
# increments.
lost=0
for policy in rr:7 random:1 random:2 pct:1,3 pos:1; do
    s=0
    "$PF" record -o r.clip --schedule=$policy -- ./race >recorded || s=$?
    for _ in 1 2; do
        status $s "$PF" replay r.clip
        cmp out recorded
    done
    [[ $(cat recorded) == 900 ]] || lost=1
    # The same seed makes the same run.
    status $s "$PF" record -o again.clip --schedule=$policy -- ./race
    cmp out recorded
done
[[ $lost == 1 ]] || fail "no policy interleaved the increments"

# A deadlock ends the run, is reported, and happens again in a replay.
cat >dead.c <<'C'
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void *f(void *x)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return x;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    pthread_join(t, 0);
    return 0;
}
C
"$PF" cc -g dead.c -o dead
# Main's events: create, lock b, lock a ...; T1's: lock a, lock b ...
status 66 "$PF" record -o d.clip --flip='T1:1<T0:3' -- ./dead
has err "cycle: main thread -> thread T1 -> main thread"
has err "held by thread T1, in pthread_mutex_lock, called from main (dead.c:16)"
has err "held by main thread, in pthread_mutex_lock, called from f (dead.c:6)"
status 66 "$PF" replay d.clip
has err "cycle: main thread -> thread T1 -> main thread"

# Two threads that only yield to each other are a livelock.
cat >live.c <<'C'
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
static atomic_int x;
static void *f(void *a) { while (atomic_load(&x) != 7) sched_yield(); return a; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    while (atomic_load(&x) != 8) sched_yield();
}
C
"$PF" cc -g live.c -o live
status 66 "$PF" record -o l.clip -- ./live
has err "hang"
has err "thread T1 can run, in f (live.c:5)"

# A flip: both orders of two writes; an impossible order is reported as infeasible.
cat >flip.c <<'C'
#include <pthread.h>
#include <stdio.h>
int x;
static void *f(void *a) { x = 1; return a; }
static void *g(void *a) { x = 2; return a; }
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, 0, f, 0);
    pthread_create(&u, 0, g, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    printf("%d\n", x);
}
C
"$PF" cc -O0 -g flip.c -o flip
event() { # THREAD: the index of the thread's write of x
    local i
    for i in 1 2 3 4; do
        "$PF" record -o f.clip --flip="T$1:$i<T$((3 - $1)):1" -- ./flip >out 2>err || continue
        [[ $(cat out) == $((3 - $1)) ]] && { echo "$i"; return; }
    done
}
first=$(event 1) second=$(event 2)
status 0 "$PF" record -o f.clip --flip="T1:$first<T2:$second" -- ./flip
has out 2
status 0 "$PF" replay f.clip
has out 2
status 0 "$PF" record -o f.clip --flip="T2:$second<T1:$first" -- ./flip
has out 1
status 0 "$PF" replay f.clip
has out 1
status 2 "$PF" record -o f.clip --flip="T2:$second<T1:$first@$((first + 1))" -- ./flip
has err "expected two events"
status 2 "$PF" record -o f.clip --flip="T2:99<T1:$first" -- ./flip
has err "infeasible"

# Continuations from one point: each continues with all threads.
mkdir cont
status 0 "$PF" record -o c.clip --schedule=random:1 --at=T2:100 --continue=8 --tail='random:*' --folder=cont -- ./race

# A replay that diverges reports what was expected and what was found, the thread, the event and the
# source position.
if grep -qw rdrand /proc/cpuinfo; then
    cat >random.c <<'END'
#include <pthread.h>
#include <stdio.h>

static int n, cells[8];

static void *work(void *arg)
{
    for (int i = 0; i < n; i++)
        cells[i % 8]++;
    puts("worked");
    return arg;
}

int main(void)
{
    unsigned long number;
    pthread_t t;
    __asm__ volatile("rdrand %0" : "=r"(number)); /* not in the recording */
    n = 1000 + (int)(number % 1000000);
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
}
END
    "$PF" cc -O1 -g -pthread random.c -o random
    status 0 "$PF" record -o random.clip --schedule=rr:100000000 -- ./random
    status 2 "$PF" replay random.clip
    has err "the run diverged from the recording: "
    grep -qE "expected .*, found .* \(thread 1, event [0-9]+(, in work at random.c:[0-9]+)?\)" err ||
        fail "the divergence is not described: $(cat err)"
    # The same, for the pf that started this one.
    status 2 "$PF" --report-to report.json replay random.clip
    python3 - <<'END'
import json
r = json.load(open("report.json"))
assert r["version"] == 1 and r["status"] == 2 and "diverged from the recording" in r["error"], r
run = r["run"]
d = run["divergence"]
assert run["outcome"] == "diverged" and d["thread"] == 1 and d["event"] > 0 and d["what"], run
site = d["site"]  # null between two calls
assert d["expected"] != d["got"] and (not site or (site["function"] == "work" and site["line"] > 0)), d
END
fi

# Floating-point registers are live across accesses, where another thread may run: x87, and vectors
# of 16, 32 and 64 bytes. The wider ones only where the processor has them.
cat >vectors.c <<'C'
#include <pthread.h>
#include <stdio.h>
#define N 4000
volatile int step;
float in[2][16] __attribute__((aligned(64)));
#define WIDE(name, bytes, ...)                                                                     \
    __VA_ARGS__ static float name(const float *p, int n)                                           \
    {                                                                                              \
        typedef float v __attribute__((vector_size(bytes)));                                       \
        v a = *(const v *)p, b = a + a, sum = {0}, more = {0};                                     \
        for (int i = 0; i < n; i++) {                                                              \
            step++;                                                                                \
            sum += a;                                                                              \
            step++;                                                                                \
            more += b - a;                                                                         \
        }                                                                                          \
        float all = 0;                                                                             \
        for (unsigned i = 0; i < bytes / 4; i++)                                                   \
            all += sum[i] + more[i];                                                               \
        return all / (bytes / 4);                                                                  \
    }
WIDE(by16, 16)
WIDE(by32, 32, __attribute__((target("avx2"))))
WIDE(by64, 64, __attribute__((target("avx512f"))))
static long double old(const float *p, int n)
{
    long double a = p[0], sum = 0;
    for (int i = 0; i < n; i++) {
        step++;
        sum += a;
        step++;
        sum += a / 4;
    }
    return sum;
}
static float wide(const float *p, int round)
{
    if (round == 2 && __builtin_cpu_supports("avx512f")) return by64(p, N);
    if (round >= 1 && __builtin_cpu_supports("avx2")) return by32(p, N);
    return by16(p, N);
}
static void *f(void *a)
{
    const float *p = a;
    for (int round = 0; round < 3; round++) {
        if (old(p, N) != p[0] * N * 1.25L) return (void *)1;
        if (wide(p, round) != 2 * N * p[0]) return (void *)2;
    }
    return 0;
}
int main(void)
{
    for (int i = 0; i < 16; i++) in[0][i] = 1, in[1][i] = 3;
    pthread_t t[2];
    void *bad[2];
    for (long i = 0; i < 2; i++) pthread_create(&t[i], 0, f, in[i]);
    for (int i = 0; i < 2; i++) pthread_join(t[i], &bad[i]);
    printf("%ld %ld\n", (long)bad[0], (long)bad[1]);
    return bad[0] || bad[1];
}
C
"$PF" cc -O2 -g vectors.c -o vectors
for policy in rr:1 random:3; do
    status 0 "$PF" record -o v.clip --schedule=$policy -- ./vectors
    status 0 "$PF" replay v.clip
done
