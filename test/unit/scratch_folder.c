// sources: src/process/scratch_folder.c src/base/*.c src/report/textbuf.c src/report/pool.c
/* scratch_folder.c - the folder for the files of runs is removed, also if its owner is killed. */
#define _GNU_SOURCE
#include "scratch_folder.h"
#include "allocation.h"
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define LONG_RECORDING 2000000 /* events; its folder is not in memory */

static void put_file(const char *folder)
{
    char *path = pf_mem_format("%s/file", folder);
    int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    close(fd);
    free(path);
}

static void removes_itself(size_t events)
{
    struct pf_scratch_folder s;
    char below[] = "/tmp/scratch-test-XXXXXX";
    assert_non_null(mkdtemp(below));
    pf_scratch_folder_make(&s, below, events);
    assert_true(s.own);
    if (events == LONG_RECORDING)
        assert_int_equal(strncmp(s.path, below, strlen(below)), 0);
    char *path = pf_mem_copy(s.path);
    put_file(path);
    pf_scratch_folder_remove(&s);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(rmdir(below), 0); /* nothing is left in it */
    free(path);
}

static void test_removed(void **state)
{
    (void)state;
    removes_itself(100);
    removes_itself(LONG_RECORDING);
}

/* The process that removes the folder becomes a child of this one, which can wait for it. */
static void test_owner_killed(void **state)
{
    int ends[2];
    char path[200] = "";
    (void)state;
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    pid_t owner = fork();
    if (owner == 0) {
        struct pf_scratch_folder s;
        pf_scratch_folder_make(&s, "/tmp", 100);
        put_file(s.path);
        if (write(ends[1], s.path, strlen(s.path)) < 0)
            _exit(1);
        for (;;)
            pause();
    }
    assert_true(read(ends[0], path, sizeof path - 1) > 0);
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(kill(owner, SIGKILL), 0);
    assert_int_equal(waitpid(owner, NULL, 0), owner);
    while (waitpid(-1, NULL, 0) > 0)
        ;
    assert_int_not_equal(access(path, F_OK), 0);
    close(ends[0]);
    close(ends[1]);
}

static void make_old(char *path)
{
    struct timespec long_ago[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
    assert_non_null(mkdtemp(path));
    put_file(path);
    assert_int_equal(utimensat(AT_FDCWD, path, long_ago, 0), 0);
}

static void test_stale(void **state)
{
    (void)state;
    if (access("/dev/shm", W_OK))
        skip();
    char stale[] = "/dev/shm/pf-judge-XXXXXX", used[] = "/dev/shm/pf-judge-XXXXXX";
    make_old(stale);
    make_old(used);
    int fd = open(used, O_RDONLY | O_CLOEXEC);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    removes_itself(100);
    assert_int_not_equal(access(stale, F_OK), 0);
    assert_int_equal(access(used, F_OK), 0);
    close(fd);
    removes_itself(100);
    assert_int_not_equal(access(used, F_OK), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_removed),
                                       cmocka_unit_test(test_owner_killed),
                                       cmocka_unit_test(test_stale)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
