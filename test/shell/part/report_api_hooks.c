/* The hooks at the start and at the end of a process, and a function of the program's own that
 * calls ThreadSanitizer's under its second name. With an argument there is a race. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int __interceptor_pthread_mutex_lock(pthread_mutex_t *m);
void __tsan_ignore_thread_begin(void);
void __tsan_ignore_thread_end(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int guarded, ignored, racy, calls;

static void say(const char *what)
{
    if (write(1, what, strlen(what)) < 0)
        _exit(3);
}
void __tsan_on_initialize(void) { say("initialize\n"); }
int __tsan_on_finalize(int failed)
{
    say(failed ? "finalize: failed\n" : "finalize\n");
    return failed;
}

int pthread_mutex_lock(pthread_mutex_t *lock)
{
    __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
    return __interceptor_pthread_mutex_lock(lock);
}

static void *work(void *race)
{
    pthread_mutex_lock(&m);
    guarded++;
    pthread_mutex_unlock(&m);
    __tsan_ignore_thread_begin();
    ignored++;
    __tsan_ignore_thread_end();
    if (race)
        racy++;
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t[2];
    (void)argv;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, argc > 1 ? &racy : NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    say(calls == 2 && guarded == 2 ? "main\n" : "wrong\n");
    return 0;
}
