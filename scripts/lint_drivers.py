#!/usr/bin/env python3
"""Finds variables that several processes drive in a way which Verilator 5.006 computes wrongly without a word.

Reads the XML netlist of `verilator --xml-only`, so it sees the processes that Verilator makes, and prints one line for
  - an unpacked array or a struct that more than one process drives (whole or in parts),
  - any variable that has both a sequential and a combinational driver.
Silent, with exit status 0, when there is none.
"""

import sys
import xml.etree.ElementTree as ElementTree
from collections import defaultdict


def type_table(netlist):
    return {entry.get("id"): entry for entry in netlist.find("typetable")}


def kind_of(types, dtype_id):
    """"array", "struct" or "plain", through typedefs."""
    entry = types.get(dtype_id)
    while entry is not None and entry.tag in ("refdtype", "paramtypedtype") and entry.get("sub_dtype_id") != entry.get("id"):
        entry = types.get(entry.get("sub_dtype_id"))
    if entry is None:
        return "plain"
    return {"unpackarraydtype": "array", "structdtype": "struct"}.get(entry.tag, "plain")


def written_variable(target):
    """The variable below selections of an assignment's left side; several for a concatenation."""
    if target.tag == "varref":
        yield target.get("name")
    elif target.tag == "concat":
        for part in target:
            yield from written_variable(part)
    elif len(target):
        yield from written_variable(target[0])


def is_sequential(process):
    return any(item.get("edgeType") in ("POS", "NEG", "BOTH") for item in process.iter("senitem"))


def process_of(element):
    """How the element drives and the left sides of what it drives; nothing for what is no process."""
    if element.tag == "always":
        how = "sequential" if is_sequential(element) else "combinational"
        return how, [a[-1] for a in element.iter() if a.tag in ("assign", "assigndly")]
    if element.tag == "contassign":
        return "combinational", [element[-1]]
    if element.tag == "port" and element.get("direction") == "out" and len(element):
        return "instance", [element[0]]
    return None


def drivers(element, scope):
    """Yields (variable's declaration, location, how). Scopes nest by generate blocks; what a process declares is its own."""
    scope = {**scope, **{v.get("name"): v for v in element.findall("var")}}
    process = process_of(element)
    if process is None:
        for child in element:
            yield from drivers(child, scope)
        return
    how, targets = process
    own = {v.get("name") for v in element.iter("var")}
    for name in {name for target in targets for name in written_variable(target)} - own:
        if name in scope:
            yield scope[name], element.get("loc"), how


def place(files, location):
    file, line = location.split(",")[:2]
    return f"{files.get(file, file)}:{line}"


def check(root):
    files = {f.get("id"): f.get("filename") for f in root.iter("file")}
    netlist = root.find("netlist")
    types = type_table(netlist)
    findings = set()
    for module in netlist.iter("module"):
        found = defaultdict(list)
        for variable, location, how in drivers(module, {}):
            found[variable].append((location, how))
        for variable, processes in found.items():
            kind = kind_of(types, variable.get("dtype_id"))
            kinds = {"combinational" if how == "instance" else how for _, how in processes}
            shared = kind in ("array", "struct") and len(processes) > 1
            if not shared and len(kinds) == 1:
                continue
            where = ", ".join(sorted(f"{place(files, location)} ({how})" for location, how in processes))
            what = {"array": "unpacked array", "struct": "struct", "plain": "variable"}[kind]
            findings.add(f"{what} `{variable.get('name')}` of {module.get('origName')} has several drivers: {where}")
    return sorted(findings)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: lint_drivers.py NETLIST.xml")
    findings = check(ElementTree.parse(sys.argv[1]).getroot())
    print("\n".join(findings), end="\n" if findings else "")
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()
