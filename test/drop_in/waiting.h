/* waiting.h - waits until another thread sleeps in the kernel, by means that no detector sees. */
#define _GNU_SOURCE
#include "order.h"
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int waiting_tid;

/* In the thread that is about to wait. */
static ORDER_UNSEEN void about_to_wait(void)
{
    waiting_tid = gettid();
    order_arrive();
}

/* Reads the state of the thread: S is sleeping. */
static ORDER_UNSEEN void until_it_waits(void)
{
    char path[64], text[512];
    order_wait(1);
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", waiting_tid);
    for (int seen = 0; seen < 100;) {
        int fd = open(path, O_RDONLY);
        ssize_t n = read(fd, text, sizeof text - 1);
        close(fd);
        text[n > 0 ? n : 0] = 0;
        const char *state = strrchr(text, ')');
        seen = state && state[2] == 'S' ? seen + 1 : 0;
        order_yield();
    }
}
