// want: signal-unsafe-call
// A signal handler frees memory.
#include "handler.h"
#include <stdlib.h>

void *volatile block;

static void handler(int number)
{
    free(block);
    atomic_store(&handled, number);
}

int main(void)
{
    block = malloc(10);
    run_handler(handler);
    return 0;
}
