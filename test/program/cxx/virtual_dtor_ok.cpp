// Virtual destructors after the join; each base destructor writes the vtable pointer again.
// want: none
#include <memory>
#include <thread>

struct base {
    virtual ~base() = default;
    virtual int value() const { return 1; }
};
struct derived : base {
    int field = 2;
    ~derived() override { field = 0; }
    int value() const override { return field; }
};

int main()
{
    std::unique_ptr<base> b = std::make_unique<derived>();
    int seen = 0;
    std::thread t([&b, &seen] { seen = b->value(); });
    t.join();
    b.reset();
    return seen != 2;
}
