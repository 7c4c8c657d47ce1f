# The programs of the AtexRace paper (Guo, Cai, Yang, ESEC/FSE 2017), figures 2 and 6, in the
# executions it describes: LiteRace, which decides for each thread alone, misses races with
# functions that are hot there.
cat >fig2.c <<'END'
#include "order.h"
#include <pthread.h>
#include <stdlib.h>
int x, y;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
#define HOT 200 /* calls after which LiteRace looks away, until the 1101st */
#define NOINLINE __attribute__((noinline)) static
NOINLINE void f1(int i)
{
    pthread_mutex_lock(&m);
    x += i;
    y += i;
    pthread_mutex_unlock(&m);
}
NOINLINE void f2(int i)
{
    pthread_mutex_lock(&n);
    y += i;
    pthread_mutex_unlock(&n);
}
NOINLINE void f3(int j, int last)
{
    pthread_mutex_lock(&m);
    x += j;
    y += j;
    pthread_mutex_unlock(&m);
    if (last) { /* still in here when the other thread calls f2 */
        order_point(3);
        order_wait(5);
    }
}
NOINLINE void f4(int j, int first)
{
    pthread_mutex_lock(&n);
    y += j;
    pthread_mutex_unlock(&n);
    if (first) { /* still in here when the other thread calls f1 */
        order_point(3);
        order_wait(5);
    }
}
static int late; /* which one is late: figure 4 (c), f1 runs together with f4; (d), f3 with f2 */
static void *t2(void *arg)
{
    order_wait(1);
    for (int j = 0; j < HOT; j++)
        f3(j, 0);
    order_point(1);
    order_wait(3);
    if (late == 'd') {
        f3(1, 1);
        f3(2, 0);
    } else {
        for (int j = 0; j < 3; j++)
            f4(j, !j);
    }
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t t;
    late = argv[1][0];
    pthread_create(&t, NULL, t2, NULL);
    for (int i = 0; i < HOT; i++)
        f1(i);
    order_point(0);
    order_wait(2);
    for (int i = 0; i < HOT; i++)
        f1(i);
    order_point(2);
    order_wait(4);
    if (late == 'd')
        f2(1);
    else
        f1(1);
    order_point(4);
    pthread_join(t, NULL);
    return 0;
}
END
cat >fig6.c <<'END'
#include "order.h"
#include <pthread.h>
int x, y, own;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
#define NOINLINE __attribute__((noinline)) static
NOINLINE void f5(int i)
{
    if (i < 0)
        return;
    if (i < 100) {
        pthread_mutex_lock(&m);
        x++;
        pthread_mutex_unlock(&m);
    } else {
        pthread_mutex_lock(&n);
        x += y;
        pthread_mutex_unlock(&n);
    }
}
NOINLINE void f6(int j)
{
    if (j < 0)
        return;
    if (j < 100) {
        pthread_mutex_lock(&m);
        y++;
        pthread_mutex_unlock(&m);
    } else {
        pthread_mutex_lock(&n);
        y += x;
        pthread_mutex_unlock(&n);
    }
}
NOINLINE void idle(void) { own++; }
static void *t2(void *arg)
{
    for (int i = 0; i < 50; i++)
        f6(-1); /* no longer cold, while the other thread runs idle() */
    order_point(0);
    order_wait(2);
    f6(100); /* the race on x */
    order_point(2);
    order_wait(4);
    f6(10); /* the race on y, in other blocks of the same functions */
    order_point(4);
    return arg;
}
int main(void)
{
    pthread_t t;
    for (int i = 0; i < 200; i++)
        f5(10);
    for (int i = 0; i < 50; i++)
        idle();
    pthread_create(&t, NULL, t2, NULL);
    order_wait(1);
    f5(-1);
    order_point(1);
    order_wait(3);
    f5(10);
    order_point(3);
    order_wait(5);
    f5(100);
    pthread_join(t, NULL);
    return 0;
}
END
# A hot function stays in its loop while another thread calls a new one.
cat >loop.c <<'END'
#include "order.h"
#include <pthread.h>
#include <stdlib.h>
#define NOINLINE __attribute__((noinline)) static
int shared, own, rounds;
NOINLINE long scan(const int *at, int n, int hold)
{
    long s = 0;
    for (int i = 0; i < n; i++) {
        if (i == hold) {
            order_point(0);
            order_wait(2);
        }
        s += *at;
    }
    return s;
}
NOINLINE void fresh(void) { shared = 1; }
static void *t2(void *arg)
{
    long s = 0;
    for (int i = 0; i < 250; i++)
        s += scan(&own, 2, -1);
    s += scan(&shared, rounds, 3);
    return s < 0 ? arg : NULL;
}
int main(int argc, char **argv)
{
    pthread_t t;
    rounds = atoi(argv[1]);
    pthread_create(&t, NULL, t2, NULL);
    order_wait(1); /* it is in the fourth iteration */
    fresh();
    order_point(1);
    pthread_join(t, NULL);
    return 0;
}
END
# main is the only thread when it is called, and not when it writes.
cat >alone.c <<'END'
#include "order.h"
#include <pthread.h>
int flag;
static void *t2(void *arg)
{
    int seen = flag;
    order_point(0);
    return seen ? arg : NULL;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, t2, NULL);
    order_wait(1);
    flag = 1;
    pthread_join(t, NULL);
    return 0;
}
END
# Two threads are in work() all the time, but enter it once.
cat >lasting.c <<'END'
#include "order.h"
#include <pthread.h>
#define NOINLINE __attribute__((noinline)) static
int shared, own[2];
NOINLINE void leaf(int i) { own[i]++; }
static void *work(void *arg)
{
    int last = arg == NULL;
    order_point(last);
    for (int i = 0; i < 500; i++)
        leaf(last);
    order_wait(2 + last);
    shared++;
    order_point(2 + last);
    return NULL;
}
int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, work, NULL);
    pthread_create(&t[1], NULL, work, t);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
END
# A walk along pointers is short: its first call is watched in every execution, whatever its pairs
# are.
cat >walk.c <<'END'
#include "order.h"
#include <pthread.h>
struct node {
    struct node *next;
    int n;
} list[3] = {{&list[1], 0}, {&list[2], 0}, {0, 0}};
__attribute__((noinline)) static void walk(struct node *at)
{
    for (; at; at = at->next)
        at->n++;
}
static void *t2(void *arg)
{
    order_point(0);
    walk(list);
    order_point(1);
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, t2, NULL);
    order_wait(2);
    walk(list);
    pthread_join(t, NULL);
    return 0;
}
END
for program in fig2 fig6 loop alone lasting walk; do
    status 0 "$PF" cc -g -O2 -I"$ROOT/test/program" -o $program $program.c -pthread
done
# f4 is called for the first time while f1, which is hot, is called.
status 66 "$PF" run --sample=full -- ./fig2 c
status 0 "$PF" run --sample=literace -- ./fig2 c
status 66 "$PF" run --sample=atexrace --state s1 -- ./fig2 c
has err "Write of size 4"
has err "#0 f1"
has err "#0 f4"
has err "Location is global 'y'"
# f2 is called for the first time while f3, which is hot, is running again and again.
status 66 "$PF" run --sample=full -- ./fig2 d
status 0 "$PF" run --sample=literace -- ./fig2 d
status 66 "$PF" run --sample=atexrace --state s2 -- ./fig2 d
has err "#0 f2"
has err "#0 f3"
has err "Location is global 'y'"
# The pair (scan, fresh) is new: scan switches to its watch body at the end of the current
# iteration. The rest of that iteration is not watched, so in the last iteration it is too late.
status 66 "$PF" run --sample=full -- ./loop 4
status 0 "$PF" run --sample=literace -- ./loop 1000
status 66 "$PF" run --sample=atexrace --state sl -- ./loop 1000
has err "#0 scan"
has err "#0 fresh"
has err "Location is global 'shared'"
status 66 "$PF" run --sample=atexrace --state sl5 -- ./loop 5
status 0 "$PF" run --sample=atexrace --state sl4 -- ./loop 4
status 66 "$PF" run --sample=atexrace --state sa -- ./alone
# Their pair is new twice, and hot after that; a pair lasts as long as the calls in it.
status 66 "$PF" run --sample=atexrace --state sw -- ./lasting
status 66 "$PF" run --sample=atexrace --state sw -- ./lasting
status 0 "$PF" run --sample=atexrace --state sw -- ./lasting
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
    "$PF" run --sample=atexrace --state sp --quiet -- ./walk || true
done
status 66 "$PF" run --sample=atexrace --state sp -- ./walk
has err "#0 walk"
# Both races of figure 6: the pair is new, then in its first burst.
status 66 "$PF" run --sample=full --json full.json -- ./fig6
status 0 "$PF" run --sample=literace -- ./fig6
status 66 "$PF" run --sample=atexrace --state s6 --json atex.json -- ./fig6
has err "Location is global 'x'"
has err "Location is global 'y'"
# Later executions know the pairs: two in a row made them frequent, ten calls ended the burst.
for i in 1 2 3 4; do
    "$PF" run --sample=atexrace --state s6 --quiet -- ./fig6 || true
done
status 0 "$PF" run --sample=atexrace --state s6 -- ./fig6
# The policy's parameters: every call of a known pair; no pair is ever known.
status 66 "$PF" run --sample=atexrace:100/100 --state s6 -- ./fig6
status 66 "$PF" run --sample=atexrace:10/100:255 --state s6 -- ./fig6
status 2 "$PF" run --sample=atexrace:0/100 -- ./fig6
status 2 "$PF" run --sample=atexrace:10/5 -- ./fig6
status 2 env PF_OPTIONS="sample='atexrace:10/100:0'" ./fig6
# Another build of the same source keeps what was learned; a changed function is new again.
sed -i 's/^    y += x;/&/; 1i /* a line more */' fig6.c
status 0 "$PF" cc -g -O2 -I"$ROOT/test/program" -o fig6 fig6.c -pthread
status 0 "$PF" run --sample=atexrace --state s6 -- ./fig6
sed -i 's/        x++;/        x += 3;/' fig6.c
status 0 "$PF" cc -g -O2 -I"$ROOT/test/program" -o fig6 fig6.c -pthread
status 66 "$PF" run --sample=atexrace --state s6 -- ./fig6
# Without --state: in the current folder.
status 66 "$PF" run --sample=atexrace -- ./fig6
ls -d .photofinish/pairs/fig6-* >out
