// Answers each connection in a new thread; the counter of connections has no lock. Ends when its
// standard input ends. Creates the file `early` if that happens before any connection. With
// an argument, two processes are such servers, one after the other.
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
static int served, s;
static _Atomic int accepted;
static void on_term(int number)
{
    (void)number;
    shutdown(s, SHUT_RDWR); /* an accept that starts after this fails too */
}
static void *answer(void *arg)
{
    char b[64];
    int fd = (int)(long)arg;
    ssize_t n = read(fd, b, sizeof b);
    if (n > 0 && write(fd, b, (size_t)n) < 0)
        perror("write");
    close(fd);
    served++;
    return NULL;
}
static void *watch_input(void *arg)
{
    char b;
    while (read(STDIN_FILENO, &b, 1) > 0)
        ;
    if (!accepted)
        close(open("early", O_CREAT | O_WRONLY, 0600));
    shutdown(s, SHUT_RDWR);
    return arg;
}
static int serve(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sigaction sa = {.sa_handler = on_term};
    pthread_t t[16];
    int n = 0;
    s = socket(AF_INET, SOCK_STREAM, 0);
    sigaction(SIGTERM, &sa, NULL);
    pthread_create(&t[0], NULL, watch_input, NULL);
    pthread_detach(t[0]);
    if (bind(s, (struct sockaddr *)&a, sizeof a) || listen(s, 8))
        return 1;
    for (int fd; n < 16 && (fd = accept(s, NULL, NULL)) >= 0;) {
        accepted = 1;
        pthread_create(&t[n++], NULL, answer, (void *)(long)fd);
    }
    while (n > 0)
        pthread_join(t[--n], NULL);
    printf("%d served\n", served);
    return 0;
}
int main(int argc, char **argv)
{
    (void)argv;
    for (int i = 0; argc > 1 && i < 2; i++) {
        if (!fork())
            return serve();
        wait(NULL);
    }
    return argc > 1 ? 0 : serve();
}
