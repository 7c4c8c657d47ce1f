// A library creates the thread and provides its start function.
// want: race shared at SPAWNED MAIN
// shared: libspawn.so part/spawn.c
// libs: -lspawn
#include "order.h"

void spawn(int *where);
void spawn_end(void);
int shared;

int main(void)
{
    spawn(&shared);
    order_wait(1);
    shared = 2; /* MAIN */
    spawn_end();
    return 0;
}
