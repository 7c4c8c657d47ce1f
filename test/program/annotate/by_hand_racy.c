// Accesses of uninstrumented functions that the program reports itself, by calls of
// ThreadSanitizer's entry points.
// want: race x at FIRST SECOND
// want: race text at FIRST_TEXT SECOND_TEXT
#include "order.h"
#include <pthread.h>

void __tsan_write4(void *addr);
void __tsan_read4_pc(void *addr, void *pc);
void __tsan_write_range(void *addr, unsigned long size);
void __tsan_unaligned_read8(const void *addr);
void __tsan_func_entry(void *pc);
void __tsan_func_exit(void);

int x;
char text[16];

__attribute__((disable_sanitizer_instrumentation)) static void unseen(void) { x++, text[3]++; }

static void *first(void *arg)
{
    unseen();
    __tsan_write4(&x); /* FIRST */
    __tsan_write_range(text, 16); /* FIRST_TEXT */
    order_point(0);
    return arg;
}

static void *second(void *arg)
{
    order_point(1);
    __tsan_func_entry(__builtin_return_address(0));
    unseen();
    __tsan_read4_pc(&x, NULL); /* SECOND */
    __tsan_unaligned_read8(text + 3); /* SECOND_TEXT */
    __tsan_func_exit();
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
