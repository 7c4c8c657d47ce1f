#include <map>
#include <pthread.h>
#include <string>
struct item { std::string name; int *link; };
int x;
item *one, *two;
std::map<int, int> numbers, others;
static void *first(void *p) { x = 1; FIRST; return p; }
static void *second(void *p) { SECOND; x = 2; return p; }
int main()
{
    one = new item{"one", &x}, two = new item{"two", &x};
    pthread_t t, u;
    pthread_create(&t, nullptr, first, nullptr);
    pthread_create(&u, nullptr, second, nullptr);
    pthread_join(t, nullptr);
    pthread_join(u, nullptr);
    return 0;
}
