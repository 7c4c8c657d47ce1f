/* memcached_client.c - memcached and its clients as one program, so that its races can be judged:
 * the answers that the clients get are the output of the program. memcached.c is compiled with
 * -Dmain=memcached_main.
 *
 *     program PORT ROUNDS
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define CLIENTS 2

int memcached_main(int argc, char **argv);

static int port, rounds;

struct client {
    int number;
    FILE *in, *out; /* the connection */
    char answers[4000];
    size_t n;
};

static struct client clients[CLIENTS];

static void *serve(void *arg)
{
    char text[20];
    snprintf(text, sizeof text, "%d", port);
    char *argv[] = {"memcached", "-A", "-l", "127.0.0.1", "-p", text,   "-U", "0",
                    "-t",        "2",  "-m", "64",        "-u", "root", NULL};
    memcached_main((int)(sizeof argv / sizeof *argv) - 1, argv);
    return arg;
}

static void open_connection(struct client *c)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port)};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (;;) {
        int fd = socket(AF_INET, SOCK_STREAM, 0);
        if (fd < 0)
            exit(1);
        if (!connect(fd, (struct sockaddr *)&to, sizeof to)) {
            c->in = fdopen(fd, "r");
            c->out = fdopen(dup(fd), "w");
            return;
        }
        close(fd);
        usleep(10000);
    }
}

/* Sends one request, and keeps the lines of the answer up to one that starts with `last`. */
static void ask(struct client *c, const char *request, const char *last, const char *const *kept)
{
    char line[1000];
    fputs(request, c->out);
    fflush(c->out);
    while (fgets(line, sizeof line, c->in)) {
        int keep = !kept;
        for (size_t i = 0; kept && kept[i]; i++)
            keep |= strstr(line, kept[i]) != NULL;
        if (keep && c->n + strlen(line) < sizeof c->answers)
            c->n += (size_t)sprintf(c->answers + c->n, "%s", line);
        if (!strncmp(line, last, strlen(last)))
            return;
    }
}

static void *work(void *arg)
{
    struct client *c = arg;
    char text[200];
    open_connection(c);
    for (int i = 0; i < rounds; i++) {
        snprintf(text, sizeof text, "set k%d:%d 0 0 4\r\nabcd\r\n", c->number, i % 3);
        ask(c, text, "STORED", NULL);
        snprintf(text, sizeof text, "get k%d:%d\r\n", c->number, i % 3);
        ask(c, text, "END", NULL);
        ask(c, "get shared\r\n", "END", (const char *const[]){NULL});
        snprintf(text, sizeof text, "touch k%d:%d 1000\r\n", c->number, i % 3);
        ask(c, text, "TOUCHED", NULL);
    }
    return arg;
}

int main(int argc, char **argv)
{
    static const char *const kept[] = {"cmd_set", "get_hits", "curr_items", "read_buf_", NULL};
    pthread_t server, t[CLIENTS];
    struct client main_client = {.number = CLIENTS};
    port = argc > 1 ? atoi(argv[1]) : 11311;
    rounds = argc > 2 ? atoi(argv[2]) : 3;
    pthread_create(&server, NULL, serve, NULL);
    open_connection(&main_client);
    ask(&main_client, "set shared 0 0 1\r\n0\r\n", "STORED", NULL);
    for (int i = 0; i < CLIENTS; i++) {
        clients[i].number = i;
        pthread_create(&t[i], NULL, work, &clients[i]);
    }
    for (int i = 0; i < CLIENTS; i++)
        pthread_join(t[i], NULL);
    ask(&main_client, "stats\r\n", "END", kept);
    fputs("shutdown\r\n", main_client.out);
    fflush(main_client.out);
    pthread_join(server, NULL);
    for (int i = 0; i < CLIENTS; i++)
        printf("client %d\n%s", i, clients[i].answers);
    printf("%s", main_client.answers);
    return 0;
}
