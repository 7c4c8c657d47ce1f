// --watch is in the clip: a replay finds the error too. Without it, a replay with --watch does.
// levels: O0 O1 O2
// case: record --watch
// exit: 66
// err: outside of a heap block
// case: replay
// exit: 66
// err: outside of a heap block
// case: record
// case: replay --watch
// exit: 66
#include <stdlib.h>
int main(void)
{
    volatile char *p = malloc(10);
    p[12] = 1;
    return 0;
}
