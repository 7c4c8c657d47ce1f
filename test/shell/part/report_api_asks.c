/* Asks its race detector, from __tsan_on_report, about the report that the detector is printing. */
#include "order.h"
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int __tsan_get_report_data(void *report, const char **words, int *count, int *stacks, int *mops,
                           int *locs, int *mutexes, int *threads, int *tids, void **sleep,
                           unsigned long room);
int __tsan_get_report_mop(void *report, unsigned long i, int *tid, void **addr, int *size,
                          int *write, int *atomic, void **trace, unsigned long room);
int __tsan_get_report_loc(void *report, unsigned long i, const char **type, void **addr,
                          void **start, unsigned long *size, int *tid, int *fd, int *suppressable,
                          void **trace, unsigned long room);
int __tsan_get_report_thread(void *report, unsigned long i, int *tid, uint64_t *os_id, int *running,
                             const char **name, int *parent, void **trace, unsigned long room);
int __tsan_get_report_mutex(void *report, unsigned long i, uint64_t *id, void **addr,
                            int *destroyed, void **trace, unsigned long room);
void *__tsan_get_current_report(void);
const char *__tsan_locate_address(void *addr, char *name, size_t room, void **region, size_t *size);
void __sanitizer_symbolize_pc(void *pc, const char *format, char *out, size_t room);

int shared;
static bool uses_freed;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((disable_sanitizer_instrumentation)) void __tsan_on_report(void *report)
{
    const char *words, *type, *name;
    int count, stacks, mops, locs, mutexes, threads, tids, tid, size, write, atomic, fd, other;
    unsigned long bytes;
    uint64_t id;
    void *sleep[4], *addr, *start, *trace[8];
    char text[256];
    __tsan_get_report_data(report, &words, &count, &stacks, &mops, &locs, &mutexes, &threads, &tids,
                           sleep, 4);
    if (uses_freed) { /* ThreadSanitizer does not describe freed blocks */
        printf("%s: %d stacks, %d accesses\n", words, stacks, mops);
        for (int i = 0; i < mops; i++) {
            __tsan_get_report_mop(report, (unsigned long)i, &tid, &addr, &size, &write, &atomic,
                                  trace, 8);
            __sanitizer_symbolize_pc(trace[0], "%f", text, sizeof text);
            printf("thread %d, write %d, %s\n", tid, write, text);
        }
        return;
    }
    printf("%s: %d stacks, %d accesses, %d locations, %d locks, %d threads, current %d\n", words,
           stacks, mops, locs, mutexes, threads, report == __tsan_get_current_report());
    for (int i = 0; i < mops; i++) {
        __tsan_get_report_mop(report, (unsigned long)i, &tid, &addr, &size, &write, &atomic, trace,
                              8);
        __sanitizer_symbolize_pc(trace[0], "%f %l", text, sizeof text);
        printf("thread %d, %d bytes, write %d, atomic %d, shared %d, %s\n", tid, size, write,
               atomic, addr == &shared, text);
    }
    __tsan_get_report_loc(report, 0, &type, &addr, &start, &bytes, &tid, &fd, &other, trace, 8);
    printf("%s\n", type); /* ThreadSanitizer knows the rest for heap blocks only */
    __tsan_get_report_mutex(report, 0, &id, &addr, &other, trace, 8);
    __sanitizer_symbolize_pc(trace[1], "%f %l", text, sizeof text);
    printf("lock %d %s\n", addr == &lock, text);
    for (int i = 0; i < threads; i++) {
        __tsan_get_report_thread(report, (unsigned long)i, &tid, &id, &other, &name, &fd, trace, 8);
        if (tid)
            printf("thread %d of %d\n", tid, fd);
    }
}

static void locate(void *addr)
{
    char name[64] = "";
    void *region = NULL;
    size_t size = 0;
    const char *type = __tsan_locate_address(addr, name, sizeof name, &region, &size);
    printf("%s %s", type, name);
    if (strcmp(type, "stack"))
        printf(" %zu %zu", (size_t)((char *)addr - (char *)region), size);
    printf("\n");
}

static void *writer(void *arg)
{
    pthread_mutex_lock(&lock);
    shared = 1;
    pthread_mutex_unlock(&lock);
    order_point(0);
    return arg;
}

int main(void)
{
    pthread_t t;
    int local = 0;
    char *block = malloc(48);
    locate(&shared);
    locate(block + 5);
    locate(&local);
    pthread_create(&t, NULL, writer, NULL);
    order_point(1);
    local = shared;
    pthread_join(t, NULL);
    free(block);
    uses_freed = true;
    fflush(stdout);
    local += ((volatile char *)block)[20];
    return local & 0;
}
