/* A test harness that forks a child for every test, as acutest and Check do: the tests `counts` and
 * `late` have a race, `locked` has none, `dies` must be killed by SIGABRT, `silent` has one thread
 * and writes beyond a block. The program ends with the number of tests that failed. */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int counter, guarded, last;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *count(void *arg)
{
    counter++;
    return arg;
}
static void *count_locked(void *arg)
{
    pthread_mutex_lock(&mutex);
    guarded++;
    pthread_mutex_unlock(&mutex);
    return arg;
}
static void *set_last(void *arg)
{
    last = 1;
    return arg;
}

static void run_two(void *(*body)(void *))
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, body, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
}

static void counts(void) { run_two(count); }
static void locked(void) { run_two(count_locked); }
static void silent(void)
{
    volatile char *block = malloc(8);
    block[8] = 1; /* nothing fails */
}
static void dies(void) { abort(); }
static void late(void) { run_two(set_last); }

static const struct {
    const char *name;
    void (*run)(void);
    int signal;
} tests[] = {{"counts", counts, 0},
             {"locked", locked, 0},
             {"silent", silent, 0},
             {"dies", dies, SIGABRT},
             {"late", late, 0}};

int main(void)
{
    int failed = 0;
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
        int status = 0;
        fflush(stdout);
        pid_t pid = fork();
        if (!pid) {
            printf("test %s\n", tests[i].name);
            fflush(stdout);
            tests[i].run();
            exit(0);
        }
        if (waitpid(pid, &status, 0) != pid)
            return 100;
        int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        bool passed = tests[i].signal ? signal == tests[i].signal : status == 0;
        printf("%s: %s\n", tests[i].name, passed ? "passed" : "FAILED");
        failed += !passed;
    }
    return failed;
}
