// Cancellation unwinds: destructors and cleanup handlers run, innermost first, wherever the thread
// waits.
// want: none
// stdout: in pause: inner cleanup outer
// stdout: in cond_wait: inner locked cleanup outer
// stdout: in read: inner cleanup outer
// tsan: it does not unwind through its signal handlers
#include "order.h"
#include <cerrno>
#include <pthread.h>
#include <stdio.h>
#include <string>
#include <unistd.h>

static std::string said;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int way, ends[2];

struct Says {
    const char *word;
    ~Says() { said += std::string(" ") + word; }
};
struct Unlocks {
    ~Unlocks()
    {
        if (pthread_mutex_trylock(&m) == EBUSY) /* the wait has acquired it again */
            said += " locked";
        pthread_mutex_unlock(&m);
    }
};

static void waits()
{
    char byte;
    if (way == 1) {
        pthread_mutex_lock(&m);
        Unlocks u;
        Says inner{"inner"};
        for (;;)
            pthread_cond_wait(&c, &m);
    }
    Says inner{"inner"};
    for (;;)
        if (way == 0)
            pause();
        else
            (void)!read(ends[0], &byte, 1);
}

static void *worker(void *arg)
{
    Says outer{"outer"};
    pthread_cleanup_push([](void *) { said += " cleanup"; }, nullptr);
    order_point(2 * way);
    waits();
    pthread_cleanup_pop(0);
    return arg;
}

int main()
{
    static const char *const ways[] = {"pause", "cond_wait", "read"};
    (void)!pipe(ends);
    for (way = 0; way < 3; way++) {
        pthread_t t;
        void *result;
        pthread_create(&t, nullptr, worker, nullptr);
        order_point(2 * way + 1);
        pthread_cancel(t);
        pthread_join(t, &result);
        printf("in %s:%s\n", ways[way], said.c_str());
        said.clear();
        if (result != PTHREAD_CANCELED)
            return 1;
    }
    return 0;
}
