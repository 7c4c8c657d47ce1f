/* See on_demand_main.cpp. */
#include "on_demand_part.h"
thread_local int common_tls;
static int counter;
static int thrice(int n)
{
    for (int i = 0; i < 3; i++)
        counter += n + i;
    return counter;
}
extern "C" int other(int n)
{
    Counter<int>::add(n);
    common_tls++;
    return thrice(n) % 7;
}
