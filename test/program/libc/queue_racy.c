// Another queue creates no order, and sending reads the message buffer.
// want: race shared at A B
// want: race text at CHANGE SEND
// tsan: it does not see System V queues
#include "turns.h"
#include <sys/ipc.h>
#include <sys/msg.h>

int shared, one, two;
struct text {
    long type;
    char bytes[8];
} text = {1, "abc"};
static _Thread_local struct text own = {1, "abc"};

void before(void)
{
    one = msgget(IPC_PRIVATE, 0600);
    two = msgget(IPC_PRIVATE, 0600);
    msgsnd(two, &own, 3, 0);
}
void first(void)
{
    shared = 1; /* A */
    msgsnd(one, &own, 3, 0);
    text.bytes[2] = 'x'; /* CHANGE */
}
void second(void)
{
    msgrcv(two, &own, 8, 0, 0);
    shared = 2; /* B */
    msgsnd(two, &text, 3, 0); /* SEND */
}
int after(void) { return msgctl(one, IPC_RMID, NULL) + msgctl(two, IPC_RMID, NULL); }
