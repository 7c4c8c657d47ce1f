/* handler.h - runs a handler of SIGUSR1 in the main thread while it does something else. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

static pthread_t main_thread;
static atomic_int handled;

static inline void *send_signal(void *arg)
{
    pthread_kill(main_thread, SIGUSR1);
    return arg;
}

/* Another thread sends the signal; `handler` must set `handled`. */
static inline void run_handler(void (*handler)(int))
{
    pthread_t t;
    struct sigaction act = {.sa_handler = handler};
    main_thread = pthread_self();
    sigaction(SIGUSR1, &act, NULL);
    pthread_create(&t, NULL, send_signal, NULL);
    while (!atomic_load(&handled)) {
    }
    pthread_join(t, NULL);
}
