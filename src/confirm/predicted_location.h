/*
 * predicted_location.h - the memory that a predicted finding is about: a variable or a heap block.
 *
 * Memory:  allocated in the job's pool.
 */
#ifndef PF_CONFIRM_PREDICTED_LOCATION_H
#define PF_CONFIRM_PREDICTED_LOCATION_H

#include "predicted_finding.h"

/* Fills in the memory that event i of the trace accesses; unchanged if it is unknown. */
void pf_predicted_location(struct pf_predict_job *j, uint32_t i, struct pf_location *l);

#endif
