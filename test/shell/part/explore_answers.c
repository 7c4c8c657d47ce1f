/* Threads (two) that get an answer from outside: random bytes, a file, the time or a reply over a
 * socket. Each adds 1 to a sum, under a lock, once or twice depending on the answer. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#ifndef THREADS
#define THREADS 2
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum, port;

__attribute__((unused)) static int read_from(const char *path)
{
    unsigned char b[64] = {0};
    int fd = open(path, O_RDONLY), all = 0;
    if (read(fd, b, sizeof b) <= 0)
        abort();
    close(fd);
    for (size_t i = 0; i < sizeof b; i++)
        all += b[i];
    return all;
}

static int answer(void)
{
#if defined(RANDOM)
    unsigned char b;
    return getrandom(&b, 1, 0) == 1 ? b : -1;
#elif defined(DEVICE)
    return read_from("/dev/urandom");
#elif defined(PROC)
    return read_from("/proc/uptime");
#elif defined(CHANGING)
    return read_from("changing");
#elif defined(CLOCK)
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int)(t.tv_nsec / 50);
#else
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons((unsigned short)port),
                             .sin_addr = {htonl(INADDR_LOOPBACK)}};
    char b[16] = {0};
    int s = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(s, (struct sockaddr *)&to, sizeof to) || send(s, "hello", 5, 0) != 5 ||
        recv(s, b, sizeof b - 1, 0) <= 0)
        abort();
    close(s);
    return atoi(b);
#endif
}

static void *act(void *unused)
{
    int n = 1 + (answer() & 1);
    for (int i = 0; i < n; i++) {
        pthread_mutex_lock(&lock);
        sum++;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t t[THREADS];
    port = argc > 1 ? atoi(argv[1]) : 0;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, act, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", sum);
    return 0;
}
