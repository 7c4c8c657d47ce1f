#include <iostream>
int main() { std::cout << "cxx" << std::endl; }
