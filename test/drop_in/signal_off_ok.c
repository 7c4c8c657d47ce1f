// want: none
// options: report_signal_unsafe=0
// A signal handler allocates memory; the user does not want to know.
#include "handler.h"
#include <stdlib.h>

void *volatile block;

static void handler(int number)
{
    block = malloc(10);
    atomic_store(&handled, number);
}

int main(void)
{
    run_handler(handler);
    return !block;
}
