// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The one place where the tracepoints are defined. */
#define CREATE_TRACE_POINTS
#include "trace.h"
