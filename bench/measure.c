/*
 * measure.c - runs a command and writes its cost to a file: `measure FILE COMMAND ARGS...`.
 *
 * Model:   FILE gets one line: user and system microseconds, peak resident KiB, wall microseconds,
 *          exit status (128 + signal when killed). The figures cover the command and all
 *          descendants it waited for.
 * Memory:  Linux includes the launcher's own pages in the peak of the launched program, so the
 *          launcher must be small: hence C, linked statically, and nothing else in it.
 * Errors:  125 when the command cannot be started or FILE not written; else 0.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long micros(struct timeval t) { return t.tv_sec * 1000000ll + t.tv_usec; }

int main(int argc, char **argv)
{
    struct timespec from, to;
    struct rusage use;
    int status;
    if (argc < 3)
        return 125;
    clock_gettime(CLOCK_MONOTONIC, &from);
    pid_t child = fork();
    if (child == 0) {
        execvp(argv[2], argv + 2);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &use) < 0)
        return 125;
    clock_gettime(CLOCK_MONOTONIC, &to);
    char line[200];
    int n = snprintf(line, sizeof line, "%lld %lld %ld %lld %d\n", micros(use.ru_utime),
                     micros(use.ru_stime), use.ru_maxrss,
                     (to.tv_sec - from.tv_sec) * 1000000ll + (to.tv_nsec - from.tv_nsec) / 1000,
                     WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    int fd = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0644);
    return fd < 0 || write(fd, line, (size_t)n) != n ? 125 : 0;
}
