#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
struct Base { virtual ~Base() {} char tag[3]; };
struct Derived : Base { char tail; int numbers[3]; };
__attribute__((noinline)) static void set(int *p, int n) { for (int i = 0; i < n; i++) p[i] = i; }
__attribute__((noinline)) static int risky(int n)
{
    int room[9];
    set(room, 9);
    if (n == 0) throw std::runtime_error(std::string(20, 'x'));
    return risky(n - 1) + room[3];
}
static int fine()
{
    int s = 0;
    for (int i = 0; i < 20; i++) {
        try { s += risky(i % 4); } catch (const std::exception &e) { s += e.what()[3]; }
        Derived d;
        d.tail = 1;
        set(d.numbers, 3);
        int over[30];
        set(over, 30);
        std::string text = "number " + std::to_string(s + over[29] + d.numbers[2]);
        std::vector<std::string> words(3, text);
        s += (int)words[2].size();
    }
    return s;
}
int main(int c, char **v)
{
    Derived d;
    if (atoi(v[1]) == 0) { std::thread t([] { fine(); }); fine(); t.join(); }
    else { std::thread t([&d, c] { set(d.numbers, 2 + c); }); t.join(); }
    puts("goes on");
}
