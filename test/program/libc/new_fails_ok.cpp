// Out of memory: bad_alloc from new, null from the nothrow form, and the handler is called.
// tsan: it ends the program when there is no memory
// want: none
// stdout: thrown null asked
// flags: -fno-builtin
#include <cstdint>
#include <cstdio>
#include <new>

static bool asked;
static void handler()
{
    asked = true;
    std::set_new_handler(nullptr);
}
volatile std::size_t huge = PTRDIFF_MAX - 1000;

int main()
{
    std::set_new_handler(handler);
    const char *thrown = "kept";
    try {
        delete[] new char[huge];
    } catch (const std::bad_alloc &) {
        thrown = "thrown";
    }
    char *p = new (std::nothrow) char[huge];
    std::printf("%s %s %s\n", thrown, p ? "some" : "null", asked ? "asked" : "silent");
}
