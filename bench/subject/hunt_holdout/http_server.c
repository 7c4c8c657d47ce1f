/* A small HTTP server on a port of the loopback device; two client threads of the same program send
 * one request each, and every connection gets a thread. A request for /status with the header
 * "Cache-Control: no-cache" counts itself without a lock while the log thread reads the count. */
// input: socket
// race: COUNT LOG
#define _GNU_SOURCE
#include "../hunt/hunt.h"
#include <netinet/in.h>
#include <strings.h>
#include <sys/socket.h>

static struct sockaddr_in address = {.sin_family = AF_INET};
static long uncached;

static void *client(void *arg)
{
    const char *text = arg;
    char reply[256];
    int s = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(s, (struct sockaddr *)&address, sizeof address) == 0 &&
        write(s, text, strlen(text)) > 0) {
        shutdown(s, SHUT_WR);
        while (read(s, reply, sizeof reply) > 0)
            ;
    }
    close(s);
    return NULL;
}

static void answer(int fd, int code, const char *text)
{
    char out[160];
    int n = snprintf(out, sizeof out, "HTTP/1.0 %d %s\r\nContent-Length: %zu\r\n\r\n%s", code,
                     code == 200 ? "OK" : "Error", strlen(text), text);
    if (write(fd, out, (size_t)n) < 0)
        perror("write");
}

static void *serve(void *arg)
{
    int fd = (int)(intptr_t)arg, no_cache = 0;
    char request[512], method[8], path[64], version[16], *line, *rest;
    size_t n = 0;
    ssize_t got;
    while (n < sizeof request - 1 && (got = read(fd, request + n, sizeof request - 1 - n)) > 0)
        n += (size_t)got;
    request[n] = 0;
    rest = strstr(request, "\r\n");
    if (!rest || sscanf(request, "%7s %63s %15s", method, path, version) != 3) {
        answer(fd, 400, "bad request");
        close(fd);
        return NULL;
    }
    rest += 2;
    while ((line = rest) && *line && *line != '\r') {
        char *end = strstr(line, "\r\n"), *colon;
        rest = end ? end + 2 : NULL;
        if (end)
            *end = 0;
        colon = strchr(line, ':');
        if (!colon)
            continue;
        *colon++ = 0;
        while (*colon == ' ')
            colon++;
        if (!strcasecmp(line, "Cache-Control") && strstr(colon, "no-cache"))
            no_cache = 1;
    }
    if (strcmp(method, "GET"))
        answer(fd, 405, "method");
    else if (!strcmp(path, "/"))
        answer(fd, 200, "hello");
    else if (!strcmp(path, "/status")) {
        if (no_cache) {
            GUARD();
            uncached++; /* COUNT */
            UNGUARD();
        }
        answer(fd, 200, "running");
    } else
        answer(fd, 404, "not found");
    close(fd);
    return NULL;
}

static void *logger(void *arg)
{
    GUARD();
    printf("%ld uncached requests\n", uncached); /* LOG */
    UNGUARD();
    return arg;
}

int main(void)
{
    pthread_t clients[2], handlers[2], log;
    static char first[] = "GET / HTTP/1.0\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    static char second[] = "GET /index HTTP/1.0\r\nHost: localhost\r\n\r\n";
    socklen_t n = sizeof address;
    int s = socket(AF_INET, SOCK_STREAM, 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(s, (struct sockaddr *)&address, sizeof address) || listen(s, 4) ||
        getsockname(s, (struct sockaddr *)&address, &n))
        return 1;
    pthread_create(&clients[0], NULL, client, first);
    pthread_create(&clients[1], NULL, client, second);
    pthread_create(&log, NULL, logger, NULL);
    for (int i = 0; i < 2; i++) {
        int fd = accept(s, NULL, NULL);
        pthread_create(&handlers[i], NULL, serve, (void *)(intptr_t)fd);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(clients[i], NULL);
        pthread_join(handlers[i], NULL);
    }
    pthread_join(log, NULL);
    close(s);
    return 0;
}
