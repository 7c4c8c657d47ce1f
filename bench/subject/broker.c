/*
 * Message broker (OpenJMS, figure 6 of the paper): a connection gets its multiplexer after it was
 * published; an invocation that comes first fails. The accepting thread stores the field without
 * the lock that the invocations hold. Messages are acknowledged by number: the next number is read
 * in one section and stored in another.
 */
#include "subject.h"

enum { CONNECTIONS = 3, MESSAGES = 2 };
struct multiplexer {
    int sent;
};
struct connection {
    pthread_mutex_t lock;
    struct multiplexer *multiplexer;
};
static struct connection connections[CONNECTIONS];
static pthread_mutex_t acknowledged_lock = PTHREAD_MUTEX_INITIALIZER;
static int acknowledged, failed;

static void set_invocation_handler(struct connection *c)
{
    struct multiplexer *m = calloc(1, sizeof *m);
    c->multiplexer = m;
}

static void acknowledge(void)
{
    LOCK(&acknowledged_lock);
    int next = acknowledged + 1;
#ifndef TWIN
    UNLOCK(&acknowledged_lock);
    LOCK(&acknowledged_lock);
#endif
    acknowledged = next;
    UNLOCK(&acknowledged_lock);
}

/* Returns 0 if the connection cannot send yet. */
static int invoke(struct connection *c)
{
    LOCK(&c->lock);
    struct multiplexer *m = c->multiplexer;
    if (m)
        m->sent++;
    UNLOCK(&c->lock);
    return m != NULL;
}

static void *accept_all(void *p)
{
    for (int i = 0; i < CONNECTIONS; i++)
        set_invocation_handler(&connections[i]);
    return p;
}

static void *client(void *p)
{
    struct connection *c = p;
    for (int i = 0; i < MESSAGES; i++) {
        if (invoke(c))
            acknowledge();
        else
            __atomic_store_n(&failed, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

int main(void)
{
    void *(*const body[])(void *) = {accept_all, client, client, client};
    void *arg[] = {NULL, &connections[0], &connections[1], &connections[2]};
    for (int i = 0; i < CONNECTIONS; i++)
        pthread_mutex_init(&connections[i].lock, NULL);
#ifdef TWIN
    accept_all(NULL);
    run_threads(body + 1, arg + 1, 3);
#else
    run_threads(body, arg, 4);
#endif
    MUST(!failed); /* the exception of the figure */
    int sent = 0;
    for (int i = 0; i < CONNECTIONS; i++)
        sent += connections[i].multiplexer->sent;
    MUST(acknowledged == sent);
    return 0;
}
