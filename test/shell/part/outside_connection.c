// Two threads; one connects to a local socket and sends a byte. With INSIDE, the program itself
// listens there. A name that begins with @ is not one of the file system.
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;
static int visits;
static struct sockaddr_un place = {.sun_family = AF_UNIX};

static void *sender(void *p)
{
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(fd, (struct sockaddr *)&place, sizeof place) || write(fd, "x", 1) != 1)
        perror("connect");
    close(fd);
    pthread_mutex_lock(&door);
    visits++;
    pthread_mutex_unlock(&door);
    return p;
}

int main(int argc, char **argv)
{
    pthread_t t;
    strcpy(place.sun_path, argc > 1 ? argv[1] : "place");
    if (place.sun_path[0] == '@')
        place.sun_path[0] = 0;
#ifdef INSIDE
    int door_fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (bind(door_fd, (struct sockaddr *)&place, sizeof place) || listen(door_fd, 1))
        return 2;
#endif
    pthread_create(&t, 0, sender, 0);
    pthread_mutex_lock(&door);
    visits++;
    pthread_mutex_unlock(&door);
    pthread_join(t, 0);
    return 0;
}
