// Two threads change files: each appends to a log, and one renames, removes and makes others. The
// program checks that it sees its own changes, and exits with the number of the check that failed.
// With an argument N, it only appends to a file that is 6 folders below the N-th one.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;
static int early; /* opened before the threads exist */
static char far[2048]; /* a path of more than 1024 bytes; a longer one if there is an argument */

#define CHECK(x)                                                                                   \
    do {                                                                                           \
        if (!(x)) {                                                                                \
            fprintf(stderr, "line %d: %s\n", __LINE__, #x);                                        \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static long size_of(const char *path)
{
    struct stat s;
    return stat(path, &s) ? -1 : (long)s.st_size;
}

static int reads(const char *path, const char *want)
{
    char text[64] = "";
    int fd = open(path, O_RDONLY);
    long n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    close(fd);
    return n == (long)strlen(want) && !strcmp(text, want);
}

static void append(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0666);
    CHECK(fd >= 0 && write(fd, text, strlen(text)) == (long)strlen(text));
    close(fd);
}

static void *other(void *p)
{
    pthread_mutex_lock(&door);
    append("log", "b");
    pthread_mutex_unlock(&door);
    return p;
}

static void change(void)
{
    char text[8] = "";
    CHECK(reads("old", "old") && rename("old", "new") == 0 && reads("new", "old"));
    CHECK(size_of("old") == -1 && access("old", F_OK) == -1 && open("old", O_RDONLY) == -1);
    CHECK(unlink("gone") == 0 && unlink("gone") == -1 && access("gone", F_OK) == -1);
    append("gone", "again");
    CHECK(reads("gone", "again"));
    CHECK(open("kept", O_WRONLY | O_CREAT | O_EXCL, 0666) == -1 && truncate("kept", 2) == 0);
    CHECK(size_of("kept") == 2 && size_of("link") == 2 && reads("sub/../kept", "ke"));
    CHECK(mkdir("folder", 0777) == 0 && mkdir("folder", 0777) == -1 && mkdir("sub", 0777) == -1);
    append("folder/file", "inside");
    CHECK(reads("folder/file", "inside") && unlink("folder/file") == 0 && rmdir("folder") == 0);
    CHECK(size_of("folder") == -1 && chmod("kept", 0) == 0);
    CHECK(rename("none", "kept") == -1 && reads("sub/deep", "deep"));
    CHECK(write(early, "x", 1) == 1 && reads("early", "wx"));
    int fd = open("sub/deep", O_RDWR);
    CHECK(fd >= 0 && pwrite(fd, "DE", 2, 0) == 2 && pread(fd, text, 4, 0) == 4 &&
          !strcmp(text, "DEep"));
    close(fd);
    append(far, "x");
    CHECK(reads(far, "farx") && chmod(".", 0700) == 0);
}

/* Sets `far` to a file below 6 folders with names of 200 bytes; enters `enter` of them first. */
static void go_far(int enter)
{
    char name[256];
    memset(name, 'n', 200);
    name[200] = 0;
    for (int i = 0; i < enter; i++)
        CHECK(chdir(name) == 0);
    for (int i = 0; i < 6; i++)
        strcat(strcat(far, name), "/");
    strcat(far, "file");
}

static void *writes_far(void *p)
{
    append(far, "x");
    return p;
}

int main(int argc, char **argv)
{
    pthread_t t;
    go_far(argc > 1 ? atoi(argv[1]) : 0);
    if (argc > 1) {
        pthread_create(&t, 0, writes_far, 0);
        pthread_join(t, 0);
        return 0;
    }
    early = open("early", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    CHECK(write(early, "w", 1) == 1);
    pthread_create(&t, 0, other, 0);
    pthread_mutex_lock(&door);
    append("log", "a");
    change();
    pthread_mutex_unlock(&door);
    pthread_join(t, 0);
    CHECK(size_of("log") == 5 && (reads("log", "logab") || reads("log", "logba")));
    return 0;
}
