// Static objects, guards of local statics, thread-local objects, templates, lambdas.
// want: atomic 1
// want: write 4 N::Counter<int>::total statics.cpp
// want: < main
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <map>

namespace N {
template <class T> struct Counter {
    static T total;
    __attribute__((noinline)) void add(T n) { total += n; }
};
template <class T> T Counter<T>::total;
}
static std::map<std::string, int> table = {{"one", 1}, {"two", 2}};
static thread_local std::string name = "thread";

static int &once()
{
    static int value = static_cast<int>(table.size());
    return value;
}
int main()
{
    N::Counter<int> c;
    auto f = [&](int k) { c.add(k); return once() + k; };
    auto p = std::make_shared<int>(f(3));
    std::weak_ptr<int> w = p;
    name += "!";
    int n = *p;
    p.reset();
    std::printf("%d %d %s %d\n", n, N::Counter<int>::total, name.c_str(), (int)w.expired());
}
