/* A message server on a local socket. A message is a 16-bit length in network order, a type and a
 * payload. A client thread of the same program sends three. A message of type 7 with the topic
 * "stats" makes the server read the counters while the reporter writes them. */
// input: socket
// race: REPORT READ
#include "../hunt/hunt.h"
#include <arpa/inet.h>
#include <sys/socket.h>

enum { HELLO = 1, DATA = 2, BYE = 3, SUBSCRIBE = 7 };

static int ends[2];
static long received, reported;

static int read_all(int fd, void *to, size_t n)
{
    char *p = to;
    while (n) {
        ssize_t got = read(fd, p, n);
        if (got <= 0)
            return 0;
        p += got;
        n -= (size_t)got;
    }
    return 1;
}

static void send_message(int fd, uint8_t type, const char *payload)
{
    unsigned char m[64];
    size_t n = strlen(payload);
    uint16_t length = htons((uint16_t)(n + 1));
    memcpy(m, &length, 2);
    m[2] = type;
    memcpy(m + 3, payload, n);
    if (write(fd, m, n + 3) < 0)
        perror("write");
}

static void *client(void *arg)
{
    send_message(ends[1], HELLO, "client-1");
    send_message(ends[1], DATA, "temperature");
    send_message(ends[1], BYE, "");
    shutdown(ends[1], SHUT_WR);
    return arg;
}

static void *reporter(void *arg)
{
    for (int i = 0; i < 2; i++) {
        GUARD();
        reported++; /* REPORT */
        UNGUARD();
        usleep(1000);
    }
    return arg;
}

static void handle(uint8_t type, const char *payload, size_t n)
{
    static const char topic[] = "stats";
    switch (type) {
    case HELLO:
    case DATA:
        received += (long)n;
        break;
    case SUBSCRIBE:
        if (n == sizeof topic - 1 && !memcmp(payload, topic, n)) {
            GUARD();
            printf("%ld reports\n", reported); /* READ */
            UNGUARD();
        }
        break;
    default:
        break;
    }
}

static void *server(void *arg)
{
    uint16_t length;
    char body[256];
    while (read_all(ends[0], &length, sizeof length)) {
        size_t n = ntohs(length);
        if (n < 1 || n > sizeof body || !read_all(ends[0], body, n))
            break;
        if (body[0] == BYE)
            break;
        handle((uint8_t)body[0], body + 1, n - 1);
    }
    return arg;
}

int main(void)
{
    pthread_t t[3];
    void *(*run[3])(void *) = {client, reporter, server};
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
        return 1;
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, run[i], NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    printf("%ld bytes\n", received);
    return 0;
}
