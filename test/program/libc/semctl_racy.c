// Reading the value of a System V semaphore creates no order.
// want: race shared at FIRST SECOND
#include "turns.h"
#include <sys/ipc.h>
#include <sys/sem.h>

int shared, id;
static volatile int sink;
void before(void) { id = semget(IPC_PRIVATE, 1, 0600); }
void first(void)
{
    shared = 1; /* FIRST */
    semctl(id, 0, SETVAL, 1);
}
void second(void)
{
    sink = semctl(id, 0, GETVAL);
    shared = 2; /* SECOND */
}
int after(void) { return semctl(id, 0, IPC_RMID); }
