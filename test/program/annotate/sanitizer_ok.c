// The interface common to all sanitizers: the program links, and announced order is order.
// want: none
// tsan: its system call hooks create no order
#define _GNU_SOURCE
#include <pthread.h>
#include <sanitizer/allocator_interface.h>
#include <sanitizer/common_interface_defs.h>
#include <sanitizer/linux_syscall_hooks.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int ends[2], x;

static void *sender(void *arg)
{
    char c = 1;
    x = 1;
    __sanitizer_syscall_pre_write(ends[1], &c, 1);
    long n = syscall(SYS_write, ends[1], &c, 1);
    __sanitizer_syscall_post_write(n, ends[1], &c, 1);
    return n == 1 ? NULL : arg;
}

int main(void)
{
    pthread_t t;
    char c, packed[8] = {0};
    if (pipe(ends) || pthread_create(&t, NULL, sender, NULL))
        return 1;
    __sanitizer_syscall_pre_read(ends[0], &c, 1);
    long n = syscall(SYS_read, ends[0], &c, 1);
    __sanitizer_syscall_post_read(n, ends[0], &c, 1);
    x = 2;
    pthread_join(t, NULL);
    __sanitizer_syscall_pre_close(ends[0]);
    n = syscall(SYS_close, ends[0]);
    __sanitizer_syscall_post_close(n, ends[0]);
    __sanitizer_syscall_pre_getpid();

    __sanitizer_unaligned_store32(packed + 1, 0x01020304);
    char *block = malloc(100);
    const void *begin = __sanitizer_get_allocated_begin(block + 50);
    int right = __sanitizer_unaligned_load32(packed + 1) == 0x01020304 && packed[4] == 1 &&
                __sanitizer_get_allocated_size(block) == 100 && begin == block &&
                __sanitizer_get_ownership(block) && !__sanitizer_get_ownership(&x) &&
                __sanitizer_get_current_allocated_bytes() >= 100 &&
                __sanitizer_acquire_crash_state() && !__sanitizer_acquire_crash_state() &&
                !strcmp(__sanitizer_get_report_path(), "stderr");
    free(block);
    char path[64];
    void *offset;
    right &= __sanitizer_get_module_and_offset_for_pc((void *)main, path, sizeof path, &offset) &&
             strlen(path);
    puts(right ? "right" : "wrong");
    return !right;
}
