// Accesses that the program reports itself, by calls of ThreadSanitizer's entry points, under a
// lock.
// want: none
#include <pthread.h>

void __tsan_write4(void *addr);
void __tsan_read4_pc(void *addr, void *pc);
void __tsan_write_range(void *addr, unsigned long size);
void __tsan_unaligned_read8(const void *addr);
void __tsan_func_entry(void *pc);
void __tsan_func_exit(void);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int x;
char text[16];

__attribute__((disable_sanitizer_instrumentation)) static void unseen(void) { x++, text[3]++; }

static void *first(void *arg)
{
    pthread_mutex_lock(&mutex);
    unseen();
    __tsan_write4(&x);
    __tsan_write_range(text, 16);
    pthread_mutex_unlock(&mutex);
    return arg;
}

static void *second(void *arg)
{
    __tsan_func_entry(__builtin_return_address(0));
    pthread_mutex_lock(&mutex);
    unseen();
    __tsan_read4_pc(&x, NULL);
    __tsan_unaligned_read8(text + 3);
    pthread_mutex_unlock(&mutex);
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
