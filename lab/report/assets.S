    .section .rodata
    .macro asset name, file
    .global firstlight_\name\()_begin
    .global firstlight_\name\()_end
firstlight_\name\()_begin:
    .incbin "\file"
firstlight_\name\()_end:
    .endm
    asset page, "report.html"
    asset style, "report.css"
    asset script, "report.js"
    asset echarts, "echarts.min.js"
    .section .note.GNU-stack,"",%progbits
