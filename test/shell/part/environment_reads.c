/* Reads its environment in the way that its argument names. USED and OTHER are set. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static int shared;

static void *adds(void *arg)
{
    shared++;
    return arg;
}

static char *entry(char **list, const char *name)
{
    size_t n = strlen(name);
    while (strncmp(*list, name, n) || (*list)[n] != '=')
        list++;
    return *list;
}

static void read_in_parts(void) /* no instruction of this process reads the value */
{
    struct iovec part = {entry(environ, "USED") + 5, 4};
    while (writev(1, &part, 1) != 4)
        ;
}

int main(int argc, char **argv, char **envp)
{
    const char *how = argv[1];
    pthread_t t;
    (void)argc;
    pthread_create(&t, NULL, adds, NULL);
    if (!strcmp(how, "getenv"))
        printf("%s\n", getenv("USED"));
    if (!strcmp(how, "names"))
        printf("%d\n", getenv("USED") != NULL);
    if (!strcmp(how, "envp"))
        puts(entry(envp, "USED"));
    if (!strcmp(how, "copy")) {
        setenv("COPY", getenv("USED"), 1);
        unsetenv("USED");
        puts(getenv("COPY"));
    }
    if (!strcmp(how, "write"))
        write(1, entry(environ, "USED") + 5, 4);
    if (!strcmp(how, "writev"))
        read_in_parts();
    if (!strcmp(how, "all"))
        for (char **e = environ; *e; e++)
            puts(*e);
    if (!strcmp(how, "system"))
        system("echo child $USED");
    if (!strcmp(how, "fork") && !fork())
        execl("/bin/sh", "sh", "-c", "echo child $USED", NULL);
    if (!strcmp(how, "exec"))
        execl("/bin/sh", "sh", "-c", "echo next $USED", NULL);
    wait(NULL);
    pthread_join(t, NULL);
    return 0;
}
