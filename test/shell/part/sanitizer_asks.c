#include "order.h"
#include <fcntl.h>
#include <pthread.h>
#include <sanitizer/common_interface_defs.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int x;
static void *race(void *arg) { if (arg) order_wait(1); x++; order_arrive(); return arg; }
static void last_word(void) { puts("last word"), fflush(stdout); }
__attribute__((noinline)) static void inner(void) { __sanitizer_print_stack_trace(); }
int main(int argc, char **argv)
{
    pthread_t a, b;
    inner();
    __sanitizer_report_error_summary("mine");
    if (!strcmp(argv[1], "fd"))
        __sanitizer_set_report_fd((void *)(intptr_t)open("reports", O_WRONLY | O_CREAT, 0644));
    else if (!strcmp(argv[1], "path"))
        __sanitizer_set_report_path("named");
    __sanitizer_set_death_callback(last_word);
    pthread_create(&a, NULL, race, NULL);
    pthread_create(&b, NULL, race, &b);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
