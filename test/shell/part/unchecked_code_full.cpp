/* Everything a compiler generates for C++: no function of it may be taken for unchecked code. */
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

struct left {
    virtual ~left() = default;
    virtual int get() const { return 1; }
};
struct right {
    virtual ~right() = default;
    virtual int also() const { return 2; }
};
struct both : left, virtual right { /* thunks */
    int get() const override { return 3; }
    int also() const override { return 4; }
};

static std::map<std::string, std::vector<int>> table{{"a", {1, 2}}}; /* static initialisation */
static thread_local std::string name = "none";                       /* wrapper, initialiser */
static int early;
__attribute__((constructor)) static void starts() { early++; }

struct counted { /* two constructors with one address, and one copy of the code for both */
    explicit counted(int n);
    int n;
};
int created;
counted::counted(int n) : n(n + created++) {}

static int fails(int x)
{
    if (x > 2)
        throw std::runtime_error("large");
    return x;
}

int main(int argc, char **)
{
    both b;
    const right &r = b;
    int sum = b.get() + r.also() + counted(argc).n;
    std::thread t([&] {
        name = "thread";
        table["t"].push_back(sum);
    });
    t.join();
    try {
        sum += fails(argc + 2);
    } catch (const std::exception &e) {
        sum += (int)std::string(e.what()).size();
    }
    auto walk = [&](auto &self, int n) -> int { return n ? self(self, n - 1) + n : 0; };
    std::printf("%d %zu %s %d\n", sum + early, table.size(), name.c_str(), walk(walk, 3));
}
