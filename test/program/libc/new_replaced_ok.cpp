// A program that replaces two operators: the others call them, as the library's would.
// tsan: it cannot link a program that replaces only some operators
// want: none
// stdout: 4 4
// flags: -fsized-deallocation -fno-builtin
#include <cstdio>
#include <cstdlib>
#include <new>

static int news, deletes;
void *operator new(std::size_t n)
{
    news++;
    return std::malloc(n ? n : 1);
}
void operator delete(void *p) noexcept
{
    deletes++;
    std::free(p);
}

char *volatile a, *volatile b, *volatile c, *volatile d;
int main()
{
    a = new char;
    b = new char[10];
    c = new (std::nothrow) char;
    d = new (std::nothrow) char[10];
    delete a;
    delete[] b;
    delete c;
    delete[] d;
    std::printf("%d %d\n", news, deletes);
}
