// want: none
// std: c++20
// case: record
// case: hatch
/* std::shared_mutex, std::call_once and an upgrade that checks again. */
#include <mutex>
#include <shared_mutex>
#include <thread>
static std::shared_mutex m;
static std::once_flag once;
static int *table, filled;
static int lookup(int key)
{
    std::call_once(once, [] { table = new int[4](); });
    {
        std::shared_lock<std::shared_mutex> l(m);
        if (table[key])
            return table[key];
    }
    std::unique_lock<std::shared_mutex> l(m);
    if (!table[key]) {
        table[key] = key + 10;
        filled++;
    }
    return table[key];
}
static void work()
{
    for (int i = 0; i < 4; i++)
        lookup(i);
}
int main()
{
    std::thread a(work), b(work);
    a.join();
    b.join();
    delete[] table;
    return filled != 4;
}
