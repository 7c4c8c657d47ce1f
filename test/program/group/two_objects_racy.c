// The same two functions use two variables without a lock: two causes.
// want: race requests at ADD_REQUEST READ_REQUESTS
// want: race errors at ADD_ERROR READ_ERRORS
// causes: 2
#include "turns.h"

int requests, errors;
volatile int sink;

void first(void)
{
    requests = 1; /* ADD_REQUEST */
    errors = 1;   /* ADD_ERROR */
}
void second(void)
{
    sink = requests; /* READ_REQUESTS */
    sink = errors;   /* READ_ERRORS */
}
