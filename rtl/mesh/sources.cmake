set(TERN_MESH_SOURCES
    ${CMAKE_CURRENT_LIST_DIR}/mesh_pkg.sv
    ${CMAKE_CURRENT_LIST_DIR}/mesh_fifo.sv
    ${CMAKE_CURRENT_LIST_DIR}/mesh_route.sv
    ${CMAKE_CURRENT_LIST_DIR}/mesh_vc_map.sv
    ${CMAKE_CURRENT_LIST_DIR}/mesh_vc.sv
    ${CMAKE_CURRENT_LIST_DIR}/mesh_favour.sv
    ${CMAKE_CURRENT_LIST_DIR}/mesh_vc_pick.sv
    ${CMAKE_CURRENT_LIST_DIR}/mesh_input.sv
    ${CMAKE_CURRENT_LIST_DIR}/mesh_round.sv
    ${CMAKE_CURRENT_LIST_DIR}/mesh_match.sv
    ${CMAKE_CURRENT_LIST_DIR}/mesh_shares.sv
    ${CMAKE_CURRENT_LIST_DIR}/mesh_output.sv
    ${CMAKE_CURRENT_LIST_DIR}/mesh_table.sv
    ${CMAKE_CURRENT_LIST_DIR}/mesh_events.sv
    ${CMAKE_CURRENT_LIST_DIR}/mesh_router.sv)
# Where a link of the mesh ends in something else than a router.
set(TERN_MESH_ENDS_SOURCES
    ${CMAKE_CURRENT_LIST_DIR}/mesh_channels.sv
    ${CMAKE_CURRENT_LIST_DIR}/mesh_merge.sv)

# The network interface makes packets as the link does, with the link's parts.
set(TERN_MESH_NI_SOURCES
    ${TERN_LINK_PACKET_SOURCES}
    ${TERN_MESH_ENDS_SOURCES}
    ${CMAKE_CURRENT_LIST_DIR}/mesh_ni_pkg.sv
    ${CMAKE_CURRENT_LIST_DIR}/mesh_ni_tx.sv
    ${CMAKE_CURRENT_LIST_DIR}/mesh_ni_out.sv
    ${CMAKE_CURRENT_LIST_DIR}/mesh_ni_in.sv
    ${CMAKE_CURRENT_LIST_DIR}/mesh_ni.sv)

# A link between chips as a hop.
set(TERN_MESH_LINK_SOURCES
    ${TERN_LINK_PACKET_SOURCES}
    ${TERN_MESH_ENDS_SOURCES}
    ${CMAKE_CURRENT_LIST_DIR}/mesh_link_pkg.sv
    ${CMAKE_CURRENT_LIST_DIR}/mesh_link_out.sv
    ${CMAKE_CURRENT_LIST_DIR}/mesh_link_in.sv
    ${CMAKE_CURRENT_LIST_DIR}/mesh_link.sv)

# All of it, with its registers. TERN_MESH_NEEDS come before it.
set(TERN_MESH_NEEDS ${TERN_REST_CLOCK_SOURCES})
set(TERN_MESH_BLOCK_SOURCES
    ${TERN_RTL_DIR}/bus/event_counters.sv
    ${CMAKE_CURRENT_LIST_DIR}/mesh.sv)
