// An initialiser of a static local that throws is repeated by the next thread, ordered after the
// failed one.
// want: none
#include <cassert>
#include <thread>

int tries;

struct thing {
    int value;
    thing()
    {
        if (++tries < 3)
            throw tries;
        value = 42;
    }
};

static thing &get()
{
    static thing only;
    return only;
}

static void work()
{
    for (;;)
        try {
            assert(get().value == 42);
            return;
        } catch (int) {
        }
}

int main()
{
    std::thread a(work), b(work), c(work);
    a.join();
    b.join();
    c.join();
    assert(tries == 3);
}
