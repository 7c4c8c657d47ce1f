// A raw system call whose receiver is not announced creates no order.
// want: race x at FIRST SECOND
#include "order.h"
#include <pthread.h>
#include <sanitizer/linux_syscall_hooks.h>
#include <sys/syscall.h>
#include <unistd.h>

static int ends[2];
int x;

static void *first(void *arg)
{
    char c = 1;
    x = 1; /* FIRST */
    __sanitizer_syscall_pre_write(ends[1], &c, 1);
    long n = syscall(SYS_write, ends[1], &c, 1);
    __sanitizer_syscall_post_write(n, ends[1], &c, 1);
    order_point(0);
    return arg;
}

static void *second(void *arg)
{
    order_point(1);
    char c;
    if (syscall(SYS_read, ends[0], &c, 1) == 1)
        x = 2; /* SECOND */
    return arg;
}

int main(void)
{
    pthread_t a, b;
    if (pipe(ends))
        return 1;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
