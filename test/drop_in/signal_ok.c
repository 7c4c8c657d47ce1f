// want: none
// A handler that restores errno; one that leaves by a jump, after which memory may be allocated;
// and one that the thread calls itself by raise.
#include "handler.h"
#include <errno.h>
#include <setjmp.h>
#include <stdlib.h>
#include <unistd.h>

static sigjmp_buf back;

static void careful(int number)
{
    int kept = errno;
    if (write(-1, "", 1) < 0)
        errno = kept;
    atomic_store(&handled, number);
}

static void jump(int number) { siglongjmp(back, number); }
static void spoil(int number) { errno = number; }

int main(void)
{
    run_handler(careful);
    signal(SIGUSR2, jump);
    signal(SIGHUP, spoil);
    if (!sigsetjmp(back, 1))
        raise(SIGUSR2);
    void *block = malloc(10);
    free(block);
    raise(SIGHUP);
    return !block;
}
