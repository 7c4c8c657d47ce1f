// want: signal-unsafe-call
// A signal handler allocates memory.
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
