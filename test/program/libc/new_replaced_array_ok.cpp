// A program that replaces only the operators for arrays: the other forms for arrays call them.
// tsan: it cannot link a program that replaces only some operators
// want: none
// stdout: 4 4
// flags: -fsized-deallocation -fno-builtin
// std: c++17
#include <cstdio>
#include <cstdlib>
#include <new>

static int news, deletes;
static const std::size_t before = 64; /* the pointer is not one of malloc */
static void *make(std::size_t n)
{
    news++;
    return static_cast<char *>(std::aligned_alloc(before, (n / before + 2) * before)) + before;
}
static void end(void *p)
{
    deletes++;
    std::free(static_cast<char *>(p) - before);
}
void *operator new[](std::size_t n) { return make(n); }
void *operator new[](std::size_t n, std::align_val_t) { return make(n); }
void operator delete[](void *p) noexcept { end(p); }
void operator delete[](void *p, std::align_val_t) noexcept { end(p); }

struct alignas(64) wide {
    char c;
};
char *volatile a, *volatile b, *volatile one;
wide *volatile c, *volatile d;
int main()
{
    a = new char[10];
    b = new (std::nothrow) char[10];
    c = new wide[2];
    d = new (std::nothrow) wide[2];
    one = new (std::nothrow) char;
    delete one;
    ::operator delete[](a, std::size_t{10});
    ::operator delete[](b, std::nothrow);
    ::operator delete[](c, 2 * sizeof(wide), std::align_val_t{64});
    ::operator delete[](d, std::align_val_t{64}, std::nothrow);
    std::printf("%d %d\n", news, deletes);
}
