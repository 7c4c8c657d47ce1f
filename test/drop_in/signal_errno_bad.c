// want: errno-in-signal
// text: Signal 10 handler invoked at:
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
