/* The fifteenth start waits for a writer of the pipe. Each element is a race of its own. */
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>
int at[32];
static void *other(void *p)
{
    at[0]++;
    at[1]++;
    at[2]++;
    at[3]++;
    at[4]++;
    at[5]++;
    at[6]++;
    at[7]++;
    at[8]++;
    at[9]++;
    at[10]++;
    at[11]++;
    at[12]++;
    at[13]++;
    at[14]++;
    at[15]++;
    at[16]++;
    at[17]++;
    at[18]++;
    at[19]++;
    at[20]++;
    at[21]++;
    at[22]++;
    at[23]++;
    at[24]++;
    at[25]++;
    at[26]++;
    at[27]++;
    at[28]++;
    at[29]++;
    at[30]++;
    at[31]++;
    return p;
}
int main(void)
{
    pthread_t t;
    struct stat s;
    int fd = open("starts", O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (write(fd, "x", 1) != 1 || fstat(fd, &s))
        return 1;
    if (s.st_size == 15 && close(open("held", O_WRONLY | O_CREAT, 0666)) == 0)
        if (read(open("hold", O_RDONLY), &s, 1) >= 0)
            return 2;
    pthread_create(&t, NULL, other, NULL);
    other(NULL);
    return pthread_join(t, NULL);
}
