// want: errno-in-signal
// text: #0 handler
// A signal handler changes errno.
#include "handler.h"
#include <errno.h>

static void handler(int number)
{
    errno = EBUSY;
    atomic_store(&handled, number);
}

int main(void)
{
    run_handler(handler);
    return 0;
}
