// The semantic predicate of the paper (fmm): a timestamp is negative for a while, and is
// overwritten before anybody prints it.
// judge: timestamp spec-violated
// reason: timestamp requirement violated
// options: --require 'timestamp >= 0' --control 10
#include "timestamp.h"
