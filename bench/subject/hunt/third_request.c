/* A server handles three requests of 4 bytes from a socket, whose other end is a client thread of
 * the same program. A timer thread updates the statistics meanwhile. If the third request is
 * "STAT", the server reads the statistics without a lock. */
// input: socket
// runs: 30
// race: TIMER SERVER
#include "hunt.h"
#include <sys/socket.h>
#include <time.h>

static int ends[2];
static long served;

static void *client(void *p)
{
    static const char requests[3][5] = {"PING", "NOOP", "PING"};
    for (int i = 0; i < 3; i++)
        if (send(ends[1], requests[i], 4, 0) != 4)
            break;
    shutdown(ends[1], SHUT_WR);
    return p;
}

static void *timer(void *p)
{
    struct timespec pause = {0, 1000000};
    for (int i = 0; i < 3; i++) {
        nanosleep(&pause, NULL);
        GUARD();
        served++; /* TIMER */
        UNGUARD();
    }
    return p;
}

static void *server(void *p)
{
    char request[4];
    for (int i = 1; i <= 3 && recv(ends[0], request, 4, MSG_WAITALL) == 4; i++)
        if (i == 3 && request[0] == 'S' && request[1] == 'T' && request[2] == 'A' &&
            request[3] == 'T') {
            GUARD();
            printf("%ld\n", served); /* SERVER */
            UNGUARD();
        }
    return p;
}

int main(void)
{
    pthread_t a, b, c;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
        return 1;
    pthread_create(&a, NULL, client, NULL);
    pthread_create(&b, NULL, timer, NULL);
    pthread_create(&c, NULL, server, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return 0;
}
