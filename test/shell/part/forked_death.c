/* The program expects the death of its first child. Its second child fails in two of four runs, for
 * another reason: the length of the file `runs`. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void fail_sometimes(void)
{
    struct stat now = {0};
    int fd = open("runs", O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (write(fd, "x", 1) != 1 || fstat(fd, &now) != 0)
        abort();
    _exit(now.st_size / 2 % 2);
}

static int run(void (*test)(void))
{
    int status;
    pid_t child = fork();
    if (child == 0)
        test();
    waitpid(child, &status, 0);
    return status;
}

int main(void)
{
    int died = run(abort), failed = run(fail_sometimes);
    return !WIFSIGNALED(died) || failed;
}
