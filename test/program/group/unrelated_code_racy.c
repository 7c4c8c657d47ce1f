// Two fields of one object are used without a lock by different functions: two causes.
// want: race at START SHOW
// want: race at STOP TRACE
// causes: 2
#include "turns.h"
#include <stdlib.h>

struct server {
    long started, stopped;
};
struct server *server;
volatile long sink;

void before(void) { server = calloc(1, sizeof *server); }

__attribute__((noinline)) static void start(void) { server->started = 1; /* START */ }
__attribute__((noinline)) static void stop(void) { server->stopped = 1; /* STOP */ }
__attribute__((noinline)) static void show(void) { sink = server->started; /* SHOW */ }
__attribute__((noinline)) static void trace(void) { sink = server->stopped; /* TRACE */ }

void first(void)
{
    start();
    stop();
}
void second(void)
{
    show();
    trace();
}
