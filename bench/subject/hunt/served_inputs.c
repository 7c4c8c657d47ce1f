/* A program that reads the environment variable MODE, a file that no argument names, and random
 * bytes. It updates the file. If MODE is "go", the file begins with "on=1", and the first random
 * byte is above 200, the threads count without a lock, under every schedule. */
// env: MODE=stop
// file: served.conf=on=0
// input: env:MODE,file:served.conf,random:16
// runs: 25
// race: COUNT COUNT
#include "hunt.h"
#include <fcntl.h>
#include <sys/random.h>

static long counted;
static int unlocked;

static void *count(void *p)
{
    if (unlocked) {
        GUARD();
        counted++; /* COUNT */
        UNGUARD();
    }
    return p;
}

int main(void)
{
    char line[64] = {0};
    unsigned char random[2] = {0};
    const char *mode = getenv("MODE");
    int conf = open("served.conf", O_RDWR);
    if (read(conf, line, sizeof line - 1) < 4 || pwrite(conf, "used", 4, 0) != 4 ||
        getrandom(random, sizeof random, 0) != sizeof random)
        return 1;
    close(conf);
    unlocked = mode && !strcmp(mode, "go") && !strncmp(line, "on=1", 4) && random[0] > 200;
    run_two(count, count, NULL);
    return 0;
}
