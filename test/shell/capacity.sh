# More live threads than slots: the program keeps running, and the result says "incomplete".
cat >crowd.c <<'END'
#include "order.h"
#include <pthread.h>
enum { COUNT = 1200 };
static pthread_t thread[COUNT];
static void *worker(void *arg)
{
    order_arrive();
    order_wait(COUNT);
    return arg;
}
int main(void)
{
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, 65536);
    for (int i = 0; i < COUNT; i++)
        if (pthread_create(&thread[i], &attr, worker, NULL))
            return 1;
    for (int i = 0; i < COUNT; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
END
status 0 "$PF" cc -O1 -pthread "-I$ROOT/test/program" -o crowd crowd.c
status 0 "$PF" run --json crowd.json -- ./crowd
has crowd.json '"complete":false'
has err "incomplete"

# More threads over the run than slots, and no thread is ordered after their ends: later threads are
# still watched, and the result says "incomplete".
cat >flow.c <<'END'
#include "order.h"
#include <pthread.h>
enum { COUNT = 1500 };
long own[COUNT];
long x;
static void *worker(void *arg)
{
    long me = (long)arg;
    own[me] = me;
    order_point(2 * (int)me);
    if (me >= COUNT - 2)
        x = me;
    order_point(2 * (int)me + 1);
    if (me >= COUNT - 2)
        order_wait(2 * COUNT); /* neither gets the other's slot */
    return 0;
}
int main(void)
{
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, 65536);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    for (long i = 0; i < COUNT; i++) {
        pthread_t t;
        if (pthread_create(&t, &attr, worker, (void *)i))
            return 1;
        if (i % 100 == 0)
            order_wait(2 * (int)i + 2);
    }
    order_wait(2 * COUNT);
    return 0;
}
END
status 0 "$PF" cc -O1 -pthread "-I$ROOT/test/program" -o flow flow.c
status 66 "$PF" run --json flow.json -- ./flow
has flow.json '"complete":false'
has flow.json '"variable":"x"'
has err "races between the two are missed"
