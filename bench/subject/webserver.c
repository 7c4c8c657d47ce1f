/*
 * Web server (Jigsaw, figure 7 of the paper): threads take events from a queue. Each operation of
 * the queue holds its lock, but the test for an empty queue and the access are separate sections,
 * so two threads may take the same event, or one may take an event that is gone. The paper takes
 * methods as atomic; here the region is marked.
 */
#include "../../include/photofinish.h"
#include "subject.h"

enum { EVENTS = 4, WORKERS = 3 };
static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static int queue[EVENTS] = {1, 2, 3, 4}, size = EVENTS;
static int handled[EVENTS + 1];

static int queue_size(void)
{
    LOCK(&queue_lock);
    int n = size;
    UNLOCK(&queue_lock);
    return n;
}

#ifndef TWIN
static int element_at(int i)
{
    LOCK(&queue_lock);
    MUST(i < size); /* ArrayIndexOutOfBoundsException */
    int e = queue[i];
    UNLOCK(&queue_lock);
    return e;
}

static void remove_first(void)
{
    LOCK(&queue_lock);
    if (size) {
        memmove(queue, queue + 1, (size_t)(size - 1) * sizeof *queue);
        size--;
    }
    UNLOCK(&queue_lock);
}
#endif

/* Returns 0 if there are no more events. */
static int next_event(void)
{
#ifdef TWIN
    LOCK(&queue_lock);
    int e = size ? queue[0] : 0;
    if (size) {
        memmove(queue, queue + 1, (size_t)(size - 1) * sizeof *queue);
        size--;
    }
    UNLOCK(&queue_lock);
    return e;
#else
    if (!queue_size())
        return 0;
    int e = element_at(0);
    remove_first();
    return e;
#endif
}

static void *worker(void *p)
{
    for (;;) {
        PF_ATOMIC_BEGIN();
        int e = next_event();
        PF_ATOMIC_END();
        if (!e)
            return p;
        __atomic_fetch_add(&handled[e], 1, __ATOMIC_RELAXED);
    }
}

int main(void)
{
    void *(*const body[])(void *) = {worker, worker, worker};
    run_threads(body, NULL, WORKERS);
    for (int i = 1; i <= EVENTS; i++)
        MUST(handled[i] == 1);
    return queue_size();
}
