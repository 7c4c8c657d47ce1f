// An object that is created on first use by two threads.
// race: instance get get output-differs: the second object replaces the first one, and its level
//     is lost; printed
#include <cstdio>
#include <thread>

struct settings {
    int level[2] = {0, 0};
};

static settings *volatile instance;

static settings *get()
{
    settings *s = instance;
    if (!s)
        instance = s = new settings;
    return s;
}

static void configure(int i) { get()->level[i] = i + 1; }

int main()
{
    std::thread a(configure, 0), b(configure, 1);
    a.join();
    b.join();
    std::printf("%d %d\n", instance->level[0], instance->level[1]);
}
