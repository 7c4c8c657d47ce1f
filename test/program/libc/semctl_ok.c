// Setting a System V semaphore wakes waiters: they are ordered after the setter.
// want: none
#include <pthread.h>
#include <sys/ipc.h>
#include <sys/sem.h>

int shared, id;
static void *work(void *arg)
{
    shared = 1;
    semctl(id, 0, SETVAL, 1);
    return arg;
}
int main(void)
{
    pthread_t t;
    struct sembuf down = {0, -1, 0};
    id = semget(IPC_PRIVATE, 1, 0600);
    pthread_create(&t, NULL, work, NULL);
    if (semop(id, &down, 1))
        return 1;
    shared++;
    pthread_join(t, NULL);
    semctl(id, 0, IPC_RMID);
    return shared != 2;
}
