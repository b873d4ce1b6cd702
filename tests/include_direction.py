#!/usr/bin/env python3
"""Compare every #include of one room in another with the DEPS list of the room's CMakeLists.txt.

usage: include_direction.py REPOSITORY_ROOT. Exit 1 and a line a breach, naming file and line.
"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
call = re.compile(r"attrib_library\(\s*(\w+)(.*?)\)", re.S)
rooms = {}
for cmake in sorted(root.glob("*/CMakeLists.txt")):
    found = call.search(cmake.read_text())
    if not found:
        continue
    words = found.group(2).split()
    lists = {}
    key = None
    for word in words:
        if word in ("DEPS", "LINK", "TEST_DEPS"):
            key = word
        elif key:
            lists.setdefault(key, []).append(word)
    rooms[cmake.parent.name] = lists
if not rooms:
    sys.exit("include_direction: no room found below " + str(root))

bad = 0
includes = 0
for room, lists in rooms.items():
    for path in sorted((root / room).rglob("*")):
        if path.suffix not in (".h", ".cpp", ".def"):
            continue
        allowed = {room} | set(lists.get("DEPS", []))
        if path.name.endswith("_test.cpp"):
            allowed |= set(lists.get("TEST_DEPS", []))
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            found = re.match(r'\s*#\s*include\s+"([a-z_]+)/', line)
            if not found or found.group(1) not in rooms:
                continue
            includes += 1
            if found.group(1) not in allowed:
                bad += 1
                print(f"{path.relative_to(root)}:{number}: {room}/ may not include {found.group(1)}/ "
                      f"(DEPS: {' '.join(sorted(allowed - {room}))})")

reference = root / "tests" / "reference"
for path in sorted(reference.glob("*")) if reference.is_dir() else []:
    if path.suffix in (".h", ".cpp") and not path.name.startswith("differential"):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if re.match(r'\s*#\s*include\s+"(vm|program)/', line):
                bad += 1
                print(f"{path.relative_to(root)}:{number}: the second evaluator may include nothing of vm/ or program/")

print(f"{len(rooms)} rooms, {includes} includes between rooms, {bad} against the arrow")
sys.exit(1 if bad else 0)
