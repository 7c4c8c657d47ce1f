// A histogram in a vector, filled by two threads without a lock.
// race: heap fill fill output-differs: an increment is lost; the bins are printed
// race: total fill fill output-differs: as the bins
#include <cstdio>
#include <thread>
#include <vector>

static volatile int total;

static void fill(int *bins, int value)
{
    bins[value % 2]++;
    total = total + 1;
}

int main()
{
    std::vector<int> bins(2);
    std::thread a(fill, bins.data(), 4), b(fill, bins.data(), 6);
    a.join();
    b.join();
    std::printf("%d %d of %d\n", bins[0], bins[1], total);
}
