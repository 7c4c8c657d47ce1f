// The same with the C++ library linked into the program.
// want: none
// stdout: 4 4
// tsan: it cannot link a program that replaces only some operators
// flags: -fsized-deallocation -fno-builtin -static-libstdc++
#include "new_replaced_ok.cpp"
