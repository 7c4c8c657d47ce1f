// A connection inside the process: connect and accept, then data in both directions.
// want: none
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

int shared, listener;
struct sockaddr_in address;

static void *serve(void *arg)
{
    char c;
    struct sockaddr_in from;
    socklen_t size = sizeof from;
    int fd = accept(listener, (struct sockaddr *)&from, &size);
    shared++; /* after the connect */
    if (read(fd, &c, 1) != 1)
        shared = 100;
    shared++;
    if (write(fd, &c, 1) != 1)
        shared = 200;
    close(fd);
    return arg;
}
int main(void)
{
    pthread_t t;
    char c = 1;
    socklen_t size = sizeof address;
    listener = socket(AF_INET, SOCK_STREAM, 0);
    address = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    if (bind(listener, (struct sockaddr *)&address, size) || listen(listener, 1) ||
        getsockname(listener, (struct sockaddr *)&address, &size))
        return 1;
    pthread_create(&t, NULL, serve, NULL);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    shared = 1;
    if (connect(fd, (struct sockaddr *)&address, size))
        return 1;
    if (write(fd, &c, 1) != 1 || read(fd, &c, 1) != 1)
        return 1;
    shared++;
    pthread_join(t, NULL);
    close(fd);
    return shared != 4;
}
