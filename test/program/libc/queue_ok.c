// A message of each kind creates order, and so does a System V semaphore.
// want: none
#include "turns.h"
#include <fcntl.h>
#include <mqueue.h>
#include <stdio.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <unistd.h>

int a, b, c, msg, sem;
mqd_t out, in;
struct text {
    long type;
    char bytes[8];
};

void before(void)
{
    char name[32];
    snprintf(name, sizeof name, "/pf-test-%d", getpid());
    struct mq_attr attr = {.mq_maxmsg = 2, .mq_msgsize = 8};
    out = mq_open(name, O_CREAT | O_WRONLY, 0600, &attr);
    in = mq_open(name, O_RDONLY);
    mq_unlink(name);
    msg = msgget(IPC_PRIVATE, 0600);
    sem = semget(IPC_PRIVATE, 1, 0600);
}
void first(void)
{
    a = 1;
    if (out >= 0)
        mq_send(out, "x", 1, 0);
    b = 1;
    struct text t = {1, "x"};
    msgsnd(msg, &t, 1, 0);
    c = 1;
    struct sembuf up = {0, 1, 0};
    semop(sem, &up, 1);
}
void second(void)
{
    char bytes[8];
    if (out >= 0 && mq_receive(in, bytes, 8, NULL) == 1) /* if the system has them */
        a++;
    struct text t;
    if (msgrcv(msg, &t, 8, 0, 0) == 1)
        b++;
    struct sembuf down = {0, -1, 0};
    if (semop(sem, &down, 1) == 0)
        c++;
}
int after(void)
{
    msgctl(msg, IPC_RMID, NULL);
    semctl(sem, 0, IPC_RMID);
    return b + c != 4;
}
