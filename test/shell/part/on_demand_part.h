/* See on_demand_main.cpp. */
extern thread_local int common_tls;
extern "C" int other(int n);
template <class T> struct Counter {
    static T total;
    static T add(T v)
    {
        static T calls;
        calls++;
        total += v;
        return total + calls;
    }
};
template <class T> T Counter<T>::total;
