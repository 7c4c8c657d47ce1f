// Exceptions: catch, cleanup, rethrow, across plain and watch bodies: the shadow stack stays right.
// want: write 4 after unwind.cpp:54 main
// want: write 4 dead unwind.cpp:17 Guard::~Guard() < thrower(int):
// want: vptr 8 vtable pointer unwind.cpp
// never: read 8 vtable unwind.cpp
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

int dead, depth, after;
struct Guard {
    int *p;
    explicit Guard(int *p) : p(p) {}
    __attribute__((noinline)) ~Guard()
    {
        dead += *p;
    }
};

__attribute__((noinline)) int thrower(int n)
{
    int one = 1;
    Guard g(&one);
    if (n == 0)
        throw std::runtime_error("bottom " + std::to_string(depth));
    depth++;
    return thrower(n - 1) + 1;
}
__attribute__((noinline)) int middle(int n)
{
    try {
        return thrower(n);
    } catch (const std::logic_error &) {
        return -1;
    } catch (...) {
        depth += 100;
        throw;
    }
}
struct Base { virtual int value() const { return 1; } virtual ~Base() {} };
struct Derived : Base { int v = 2; int value() const override { return v; } };

int main()
{
    std::string text;
    std::vector<Base *> all{new Base, new Derived};
    for (int i = 0; i < 3; i++)
        try {
            middle(i);
        } catch (const std::exception &e) {
            text += e.what();
        }
    after = 1;
    int sum = 0;
    for (Base *b : all)
        sum += b->value();
    for (Base *b : all)
        delete b;
    std::printf("%s %d %d %d\n", text.c_str(), dead, depth, sum);
}
