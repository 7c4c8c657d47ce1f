// Twin of negative_timestamp: without the condition, the race does no harm.
// judge: timestamp k-witness-harmless
#include "timestamp.h"
