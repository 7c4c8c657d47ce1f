// Every form of new with a matching delete: the report knows the block, and its delete races with
// a use.
// want: race at USE1 END1:free
// want: race at USE2 END2:free
// want: race at USE3 END3:free
// want: race at USE4 END4:free
#include "turns.h"
#include <new>

struct alignas(64) wide {
    char bytes[64];
};
char *a, *b;
wide *c, *d;
void before()
{
    a = new char;
    b = new (std::nothrow) char[100];
    c = new wide;
    d = new (std::nothrow) wide[3];
}
void first()
{
    *a = 1;               /* USE1 */
    b[99] = 1;            /* USE2 */
    c->bytes[63] = 1;     /* USE3 */
    d[2].bytes[0] = 1;    /* USE4 */
}
void second()
{
    delete a;   /* END1 */
    delete[] b; /* END2 */
    delete c;   /* END3 */
    delete[] d; /* END4 */
}
