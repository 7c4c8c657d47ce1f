// Races on every kind of memory, under locks of every kind. Nothing orders the two threads, so a
// free run and a prediction both report every race.
#include <pthread.h>
#include <stdlib.h>

namespace shop {
struct item {
    long id;
    pthread_mutex_t lock;
    int price;
};
item *top;
static int stock[4];
static pthread_mutex_t guard[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
} // namespace shop

static thread_local int own = 1;
static int *local, *owned;
static pthread_rwlock_t counted = PTHREAD_RWLOCK_INITIALIZER;

static int *count(void)
{
    static int calls;
    return &calls;
}

static shop::item *make(void) { return static_cast<shop::item *>(calloc(1, sizeof(shop::item))); }

static void set_price(int price)
{
    pthread_mutex_lock(&shop::top->lock);
    shop::top->price = price;
    pthread_mutex_unlock(&shop::top->lock);
}

static void *sell(void *)
{
    pthread_setname_np(pthread_self(), "sells");
    set_price(1);
    pthread_mutex_lock(&shop::guard[1]);
    shop::stock[2] = 1;
    pthread_mutex_unlock(&shop::guard[1]);
    pthread_rwlock_rdlock(&counted);
    ++*count();
    pthread_rwlock_unlock(&counted);
    *local = 1;
    *owned = 1;
    return NULL;
}

static void *look(void *)
{
    volatile int seen;
    pthread_setname_np(pthread_self(), "looks");
    seen = shop::top->price;
    pthread_mutex_lock(&shop::guard[0]);
    seen = shop::stock[2];
    pthread_mutex_unlock(&shop::guard[0]);
    pthread_rwlock_rdlock(&counted);
    seen = *count();
    pthread_rwlock_unlock(&counted);
    seen = *local;
    seen = *owned;
    return NULL;
}

static void *start_look(void *)
{
    pthread_t t;
    pthread_create(&t, NULL, look, NULL);
    pthread_join(t, NULL);
    return NULL;
}

int main()
{
    pthread_t a, b;
    int here = 0;
    local = &here;
    owned = &own;
    shop::top = make();
    pthread_mutex_init(&shop::top->lock, NULL);
    pthread_create(&a, NULL, sell, NULL);
    pthread_create(&b, NULL, start_look, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    free(shop::top);
    return 0;
}
