# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The rows of include/kverbs/job.h, as the C preprocessor sees them."""

import os
import re
import subprocess

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CC = os.environ.get("CC", "cc")


def compiler(args, text):
    """Run the compiler on a text: its output, or its complaints as an exception."""
    run = subprocess.run([CC, "-x", "c", "-std=gnu11", "-Iinclude/uapi", "-Iinclude", *args, "-"],
                         input=text, capture_output=True, text=True, cwd=TOP, check=False)
    if run.returncode:
        raise RuntimeError(run.stderr)
    return run.stdout


def job_rows():
    """A dict for each field: attr, type, lo, hi, def, letter, name, unit, what, as C text."""
    text = """
        typedef __UINT32_TYPE__ u32; typedef __UINT64_TYPE__ u64;
        #include <linux/kverbs.h>
        #include "kverbs/hist.h"
        #include "kverbs/job.h"
        #define ROW(attr, member, type, lo, hi, def, letter, name, unit, what) \\
            @@ attr @ type @ lo @ hi @ def @ letter @ name @ unit @ what @@
        KV_JOB_FIELDS(ROW)
    """
    keys = ("attr", "type", "lo", "hi", "def", "letter", "name", "unit", "what")
    out = compiler(["-E", "-P"], text)
    rows = []
    for row in re.findall(r"@@\s*(.*?)\s*@@", out, re.S):
        values = [re.sub(r'^["\'](.*)["\']$', r"\1", v) for v in re.split(r"\s*@\s*", row)]
        rows.append(dict(zip(keys, values)))
    return rows


def number(text, names=None):
    """A C number, or a name of names; None for what is decided later (KV_AUTO)."""
    if names and text in names:
        return names[text]
    if text.startswith("(~"):
        return None
    return int(re.sub("[UL]*$", "", text), 0)
