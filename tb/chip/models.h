#pragma once

// The verilated classes. Verilator's headers, seen after SystemC's, want its time by the unqualified name.
#include <systemc>
using sc_core::sc_time_stamp;

#include <verilated.h>
#include <verilated_fst_c.h>

#include "Vtern.h"
#include "Vtern___024root.h"
#include "Vtern_peer.h"
