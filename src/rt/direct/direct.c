#include "direct.h"

struct pf_direct pf_direct;
