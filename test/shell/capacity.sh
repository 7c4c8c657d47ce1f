# More threads alive than there is room for: the program runs on, and the result says "incomplete".
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
