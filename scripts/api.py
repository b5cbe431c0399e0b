#!/usr/bin/env python3
"""The public interface, as the headers state it.

  api.py functions   name, header, stable or experimental, real-time or not, threads, documented
                     or not
  api.py layout CC   numbers of enumerators, and sizes and field offsets of public structs
  api.py filter FILE a header for doxygen: the head comment documents the file, and functions that
                     share one comment each get a copy, with the statements that hold for them
"""

import glob
import os
import re
import sys

HEADERS = os.path.join(os.path.dirname(__file__), "..", "include", "linkwork")
STATEMENT = re.compile(
    r"^// (Stable|Experimental)\. Real-time safe (unless stated otherwise|only where stated); "
    r"thread safe by const \(linkwork/base\.h\)\.$", re.M)
PLAIN = "char|int|long|double|float|size_t|bool|void"


class Function:
    def __init__(self, name, prototype, comment, header):
        self.name, self.prototype, self.comment, self.header = name, prototype, comment, header
        text = re.sub(r"\s*\n/// ?", " ", comment)
        self.is_realtime = header.is_realtime
        if re.search(r"\bNot real-time safe\b", text):
            self.is_realtime = False
        elif re.search(r"\bReal-time safe\b", text):
            self.is_realtime = True
        self.is_thread_safe = "Thread safe." in text
        self.changed = self.objects_without_const()

    def objects_without_const(self):
        """Arguments that are objects which the function changes."""
        arguments = self.prototype[self.prototype.index("(") + 1:]
        found = re.findall(r"(const )?\b(lw_\w+) \*(\w+)", arguments)
        return [name for const, kind, name in found if not const and kind in OBJECTS]

    def threads(self):
        if self.is_thread_safe:
            return "thread safe"
        return "one thread per " + ", ".join(self.changed) if self.changed else "shared"


class Header:
    def __init__(self, path):
        self.name = os.path.basename(path)
        self.text = open(path, encoding="utf-8").read()
        found = STATEMENT.search(self.text.split("#ifndef")[0])
        self.stability = found.group(1).lower() if found else None
        self.is_realtime = bool(found) and found.group(2) == "unless stated otherwise"
        self.functions = []
        # A comment holds for all prototypes that follow without an empty line.
        for block in re.split(r"\n\s*\n", self.text):
            if not re.search(r"^LW_API ", block, re.M):
                continue
            comment = "\n".join(re.findall(r"^///.*$", block, re.M))
            for prototype in re.findall(r"^LW_API ([^;]*);", block, re.M):
                name = re.search(r"\b(lw_\w+)\(", prototype).group(1)
                self.functions.append(Function(name, prototype, comment, self))


def read_objects():
    """Types that are objects: declared, but not defined, by the headers, or destroyed by a function."""
    text = "".join(open(p, encoding="utf-8").read() for p in glob.glob(HEADERS + "/*.h"))
    declared = re.findall(r"^typedef struct (lw_\w+) \1;", text, re.M)
    destroyed = re.findall(r"_(?:destroy|free)\((lw_\w+) \*", text)
    return set(declared + destroyed)


def declarations(compiler):
    """All headers as plain declarations: what a language binding reads."""
    import subprocess
    names = [os.path.basename(path) for path in sorted(glob.glob(HEADERS + "/*.h"))]
    text = "".join("#include <linkwork/%s>\n" % name for name in names)
    command = [compiler, "-E", "-P", "-DLW_DECLARATIONS_ONLY", "-I", HEADERS + "/..", "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def print_layout(compiler):
    import cffi
    ffi = cffi.FFI()
    text = declarations(compiler)
    ffi.cdef(text)
    for name in sorted(set(re.findall(r"^typedef (?:struct|enum) (lw_\w+) \{", text, re.M))):
        kind = ffi.typeof(name)
        if kind.kind == "enum":
            for name, value in sorted(kind.relements.items(), key=lambda pair: pair[1]):
                print("%s = %d" % (name, value))
        elif kind.kind == "struct" and kind.fields:
            print("%s: %d bytes" % (name, ffi.sizeof(name)))
            for field, place in kind.fields:
                print("    %s.%s at %d, %s" % (name, field, place.offset, place.type.cname))


OBJECTS = read_objects()


def read_headers():
    return [Header(path) for path in sorted(glob.glob(HEADERS + "/*.h"))]


def statement(function):
    real_time = "Real-time safe." if function.is_realtime else "Not real-time safe."
    threads = ("Thread safe." if function.is_thread_safe else
               "Changes " + ", ".join("`%s`" % c for c in function.changed) + ": one thread at a time."
               if function.changed else "Any number of threads may call it at once.")
    return "/// @par Real time and threads\n/// %s %s" % (real_time, threads)


def comment_of(comment, prototype, others):
    """Without the parameters that only other functions of the same comment have."""
    kept, is_kept = [], True
    for line in comment.split("\n"):
        found = re.match(r"/// @(\w+) +([\w,]+)", line)
        if found and found.group(1) == "param":
            names = found.group(2).split(",")
            is_others = any(re.search(r"\b%s\b" % name, others) for name in names if name)
            is_own = any(re.search(r"\b%s\b" % name, prototype) for name in names if name)
            is_kept = is_own or not is_others
        elif found:
            is_kept = found.group(1) != "return" or not prototype.startswith("LW_API void ")
        if is_kept:
            kept.append(line)
    return "\n".join(kept)


def filtered(path):
    header = Header(path)
    head, rest = header.text.split("#ifndef", 1)
    out = ["/// @file"] + [re.sub(r"^//", "///", line) for line in head.rstrip().split("\n")]
    out.append("#ifndef" + rest.split("\n", 1)[0])
    of = {f.name: f for f in header.functions}
    for block in re.split(r"\n[ \t]*\n", rest.split("\n", 1)[1]):
        prototypes = re.findall(r"^LW_API [^;]*;.*$", block, re.M)
        if not prototypes:
            out += [block, ""]
            continue
        comment = "\n".join(re.findall(r"^///.*$", block, re.M))
        out.append(re.sub(r"^(///.*\n)+(?=LW_API)|^LW_API [^;]*;.*(\n|$)", "", block, flags=re.M))
        for prototype in prototypes:
            function = of[re.search(r"\b(lw_\w+)\(", prototype).group(1)]
            out += [comment_of(comment, prototype, "".join(prototypes)), statement(function), prototype, ""]
    return "\n".join(out)


def main():
    command = sys.argv[1] if len(sys.argv) > 1 else ""
    if command == "functions":
        for header in read_headers():
            for f in header.functions:
                real_time = "real-time" if f.is_realtime else "not real-time"
                is_documented = "documented" if f.comment else "not documented"
                print("\t".join((f.name, header.name, header.stability or "?", real_time, f.threads(),
                                 is_documented)))
    elif command == "layout":
        print_layout(sys.argv[2])
    elif command == "filter":
        print(filtered(sys.argv[2]))
    else:
        sys.exit(__doc__)


main()
