// The stack through member functions, operators and templates.
// want: race at MEMBER MAIN
#include "order.h"
#include <thread>

template <typename T>
class counter
{
  public:
    counter &operator+=(T n)
    {
        total += n; /* MEMBER */
        return *this;
    }
    T total = 0;
};

counter<long> shared;

int main()
{
    std::thread t([] {
        shared += 5;
        order_point(0);
    });
    order_point(1);
    shared.total = 0; /* MAIN */
    t.join();
}
