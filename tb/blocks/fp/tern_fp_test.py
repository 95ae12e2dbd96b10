#!/usr/bin/env python3
"""Holds tern_fp, and so the RTL, to docs/arithmetic.md by a third reckoning: rational numbers, which round nowhere by themselves.

  python3 tb/blocks/fp/tern_fp_test.py --program build/release/bin/tern_fp [--seed N] [--count N]
"""
import argparse
import random
import subprocess
import sys
from fractions import Fraction

# name: (bits, fraction bits, bias, has infinities)
FORMATS = {
    "fp32": (32, 23, 127, True),
    "fp16": (16, 10, 15, True),
    "bf16": (16, 7, 127, True),
    "fp8_e4m3": (8, 3, 7, False),
    "fp8_e5m2": (8, 2, 15, True),
}
ORDER = ("invalid", "overflow", "underflow", "inexact", "nan_in")
NAN = {"fp32": 0x7FC00000, "fp16": 0x7E00, "bf16": 0x7FC0, "fp8_e4m3": 0x7F, "fp8_e5m2": 0x7E}


def largest(name):
    bits, fraction, _, infinities = FORMATS[name]
    ones = (1 << (bits - 1)) - 1
    return ones - (1 << fraction) if infinities else ones - 1


def decode(name, code):
    """(class, negative, magnitude) of a code; the magnitude of a finite number is a Fraction."""
    bits, fraction, bias, infinities = FORMATS[name]
    negative, magnitude = bool(code >> (bits - 1)), code & ((1 << (bits - 1)) - 1)
    if magnitude > largest(name):
        if infinities and magnitude == largest(name) + 1:
            return "infinity", negative, None
        return "quiet" if not infinities or magnitude >> (fraction - 1) & 1 else "signalling", negative, None
    exponent, rest = magnitude >> fraction, magnitude & ((1 << fraction) - 1)
    if exponent == 0:
        return "finite", negative, Fraction(rest) * Fraction(2) ** (1 - bias - fraction)
    return "finite", negative, Fraction(rest + (1 << fraction)) * Fraction(2) ** (exponent - bias - fraction)


def floor_log2(x):
    n = x.numerator.bit_length() - x.denominator.bit_length()
    return n if Fraction(2) ** n <= x else n - 1


def nearest(place):
    """Rounds a place between integers to nearest, ties to even: Python's round does."""
    return round(place)


def by_chance(r):
    def rounding(place):
        lo = place.numerator // place.denominator
        return lo + (r < int((place - lo) * 2**32))
    return rounding


def encode(name, magnitude, rounding):
    """(code without sign or None for an overflow, flags) of a magnitude above 0."""
    _, fraction, bias, _ = FORMATS[name]
    lowest, flags = 1 - bias, set()
    free = Fraction(2) ** (floor_log2(magnitude) - fraction)
    tiny = rounding(magnitude / free) * free < Fraction(2) ** lowest
    exponent = max(floor_log2(magnitude), lowest)
    unit = Fraction(2) ** (exponent - fraction)
    steps = rounding(magnitude / unit)
    if steps * unit != magnitude:
        flags.add("inexact")
        if tiny:
            flags.add("underflow")
    code = ((exponent - lowest) << fraction) + steps
    if code > largest(name):
        return None, {"overflow", "inexact"}
    return code, flags


def signed(name, negative, code):
    return code | (1 << (FORMATS[name][0] - 1) if negative else 0)


def nan_of(name, classes, extra=()):
    flags = set(extra)
    if "quiet" in classes or "signalling" in classes:
        flags.add("nan_in")
    if "signalling" in classes:
        flags.add("invalid")
    return NAN[name], flags


def fma(a, b, c):
    (ka, sa, xa), (kb, sb, xb), (kc, sc, xc) = (decode("fp32", v) for v in (a, b, c))
    infinite, negative = "infinity" in (ka, kb), sa != sb
    if infinite and (xa == 0 or xb == 0):
        return nan_of("fp32", (ka, kb, kc), {"invalid"})
    if {ka, kb, kc} & {"quiet", "signalling"}:
        return nan_of("fp32", (ka, kb, kc))
    if infinite and kc == "infinity" and negative != sc:
        return nan_of("fp32", (), {"invalid"})
    if infinite or kc == "infinity":
        return signed("fp32", negative if infinite else sc, largest("fp32") + 1), set()
    total = (-1) ** negative * xa * xb + (-1) ** sc * xc
    if total == 0:
        return signed("fp32", negative and sc, 0), set()
    code, flags = encode("fp32", abs(total), nearest)
    return signed("fp32", total < 0, largest("fp32") + 1 if code is None else code), flags


def widen(name, code):
    kind, negative, magnitude = decode(name, code)
    if kind in ("quiet", "signalling"):
        return nan_of("fp32", (kind,))
    if kind == "infinity":
        return signed("fp32", negative, largest("fp32") + 1), set()
    return signed("fp32", negative, encode("fp32", magnitude, nearest)[0] if magnitude else 0), set()


def narrow(name, rounding, mode, value):
    kind, negative, magnitude = decode("fp32", value)
    if kind in ("quiet", "signalling"):
        return nan_of(name, (kind,))
    if name == "fp32":
        return value, set()
    if kind == "finite" and magnitude == 0:
        return signed(name, negative, 0), set()
    code, flags = encode(name, magnitude, rounding) if kind == "finite" else (None, set())
    if code is not None:
        return signed(name, negative, code), flags
    if mode == "saturate":
        return signed(name, negative, largest(name)), flags
    if FORMATS[name][3]:
        return signed(name, negative, largest(name) + 1), flags
    return NAN[name], flags or {"invalid"}


def post(name, rounding, mode, scale, bias, relu, value):
    flags = set()
    for number, factor, addend in ((scale, scale, 0x80000000), (bias, 0x3F800000, bias)):
        if number is not None:
            value, raised = fma(value, factor, addend)
            flags |= raised
    if relu and value >> 31 and decode("fp32", value)[0] in ("finite", "infinity"):
        value = 0
    code, raised = narrow(name, rounding, mode, value)
    return code, flags | raised


def xorshift(state):
    state = state or 1
    state ^= state << 13 & 0xFFFFFFFF
    state ^= state >> 17
    return state ^ (state << 5 & 0xFFFFFFFF)


class Vectors:
    """Lines for tern_fp with what they must give."""

    def __init__(self, seed):
        self.dice = random.Random(seed)
        self.lines, self.expected = [], []

    def add(self, line, name, answer):
        code, flags = answer
        self.lines.append(line)
        self.expected.append(f"{code:0{FORMATS[name][0] // 4}x} {','.join(f for f in ORDER if f in flags) or '-'}")

    def fraction(self):
        d = self.dice
        few, low_run, high_run = 1 << d.randrange(23), 0x7FFFFF >> d.randrange(23), 0x7FFFFF & ~((1 << d.randrange(24)) - 1)
        return d.choice((d.getrandbits(23), d.getrandbits(12) << 11, few, low_run, high_run))

    def number(self, low=0, high=255):
        low, high = (min(max(bound, 0), 255) for bound in (low, high))
        exponent = self.dice.randint(low, high)
        return self.dice.getrandbits(1) << 31 | exponent << 23 | self.fraction()

    def fma_operands(self):
        d = self.dice
        kind = d.randrange(5)
        if kind == 0:
            return [self.number() for _ in range(3)]
        a = self.number(1, 254)
        ea = a >> 23 & 255
        if kind == 1:  # near the bottom
            return [a, self.number(100 - ea, 160 - ea), self.number(0, 30)]
        if kind == 2:  # near the top
            return [a, self.number(378 - ea, 383 - ea), self.number(200, 254)]
        b = self.number(1, 254)
        near = ea + (b >> 23 & 255) - 127
        c = self.number(near - 52, near + 52)
        if kind == 3:  # cancelling
            product, _ = fma(a, b, 0x80000000)
            c = (product ^ 0x80000000) + d.randint(-2, 2) & 0xFFFFFFFF
        return [a, b, c]

    def add_fma(self):
        a, b, c = self.fma_operands()
        self.add(f"fma {a:08x} {b:08x} {c:08x}", "fp32", fma(a, b, c))

    def add_narrow(self):
        d = self.dice
        name = d.choice(list(FORMATS))
        _, fraction, bias, _ = FORMATS[name]
        value = self.number()
        if d.randrange(4):
            lowest, highest = 128 - bias, 127 + bias
            low, high = d.choice(((lowest - fraction - 3, lowest), (highest - 1, highest + 2), (lowest, highest)))
            value = self.number(low, high)
        mode = d.choice(("saturate", "infinity"))
        if d.getrandbits(1):
            self.add(f"narrow {name} rne {mode} {value:08x}", name, narrow(name, nearest, mode, value))
            return
        r = d.choice((d.getrandbits(32), 0, 0xFFFFFFFF, 0x7FFFFFFF, 0x80000000))
        self.add(f"narrow {name} stochastic {mode} {value:08x} {r:x}", name, narrow(name, by_chance(r), mode, value))

    def add_widen(self):
        name = self.dice.choice(list(FORMATS))
        code = self.dice.getrandbits(FORMATS[name][0])
        self.add(f"widen {name} {code:x}", "fp32", widen(name, code))

    def add_post(self):
        d = self.dice
        name, mode, relu = d.choice(list(FORMATS)), d.choice(("saturate", "infinity")), d.getrandbits(1)
        _, fraction, bias, _ = FORMATS[name]
        if d.randrange(4):  # results in the format's range, or near its ends
            value, scale = self.number(100, 150), self.number(100, 150)
            end = d.choice((128 - bias - fraction, 127 + bias, 127))
            added = self.number(end - 4, end + 4)
        else:
            value, scale, added = self.number(), self.number(), self.number()
        scale, added = (d.choice((None, number, number)) for number in (scale, added))
        shown = [f"{number:08x}" if number is not None else "-" for number in (scale, added)]
        line = f"{mode} {shown[0]} {shown[1]} {'relu' if relu else '-'} {value:08x}"
        if d.getrandbits(1):
            self.add(f"post {name} rne {line}", name, post(name, nearest, mode, scale, added, relu, value))
            return
        state = d.choice((0, d.getrandbits(32)))
        self.add(f"post {name} stochastic {line} {state:x}", name, post(name, by_chance(xorshift(state)), mode, scale, added, relu, value))

    def add_random(self):
        state = self.dice.choice((0, self.dice.getrandbits(32)))
        self.add(f"random {state:x}", "fp32", (xorshift(state), set()))


def run(program, text):
    return subprocess.run([program], input=text, capture_output=True, text=True, timeout=100)


def compare(program, seed, count):
    vectors = Vectors(seed)
    for i in range(count):
        (vectors.add_fma, vectors.add_narrow, vectors.add_fma, vectors.add_narrow, vectors.add_widen, vectors.add_random, vectors.add_post)[i % 7]()
    done = run(program, "\n".join(vectors.lines) + "\n")
    got = done.stdout.splitlines()
    bad = [
        f"{line}\n  rtl       {g}\n  rationals {e}\n  again: echo {line} | {program}"
        for line, g, e in zip(vectors.lines, got, vectors.expected)
        if g != e
    ]
    if done.returncode != 0 or len(got) != count:
        bad.append(f"exit status {done.returncode}, {len(got)} answers to {count} lines: {done.stderr[-500:]}")
    return bad[:10]


# line: where the error is and a part of what it says; None: a good line
BAD_LINES = [
    ("fma 3f800000 40000000 bf800000", None),
    ("fam 1 2 3", "line 2, column 1: 'fam' is no operation, did you mean 'fma'?"),
    ("", None),
    ("fma 1 2", "line 4, column 8: c is missing"),
    ("  widen fp8_e4m4 7e", "line 5, column 9: 'fp8_e4m4' is no format, did you mean 'fp8_e4m3'?"),
    ("widen fp8_e4m3 17e", "line 6, column 16: value: '17e' has more than 8 bits"),
    ("narrow bf16 rne saturate 3f80zz", "line 7, column 30: value: 'z' is no hexadecimal digit"),
    ("narrow bf16 rne saturate 3f800001 5", "line 8, column 35: '5' is too much"),
    ("narrow bf16 stochastic saturate 3f800001  # comment", "line 9, column 43: random number is missing"),
    ("random 0x", "line 10, column 8: state: '0x' is no hexadecimal number"),
    ("fma 1ffffffffffffffffffff 0 0", "line 11, column 5: a: '1ffffffffffffffffffff' has more than 32 bits"),
    ("post bf16 rne infinity - - rely 0", "line 12, column 28: 'rely' is no relu, did you mean 'relu'?"),
    ("post bf16 rne infinity - 3f - ", "line 13, column 31: value is missing"),
    ("post bf16 stochastic infinity - - - 3f800000", "line 14, column 45: state is missing"),
    ("widen fp16 3c00  # one", None),
]


def errors(program):
    done = run(program, "\n".join(line for line, _ in BAD_LINES) + "\n")
    bad = []
    told = done.stderr.splitlines()
    wanted = [message for _, message in BAD_LINES if message]
    if len(told) != len(wanted):
        bad.append(f"{len(told)} messages, expected {len(wanted)}")
    bad += [f"told: {t}\nwanted: {w}" for t, w in zip(told, wanted) if not t.startswith(w)]
    answers = ["3f800000 -"] + ["error"] * len(wanted) + ["3f800000 -"]
    if done.stdout.splitlines() != answers or done.returncode != 1:
        bad.append(f"exit status {done.returncode}, answers:\n{done.stdout}")
    if run(program, "").returncode != 0:
        bad.append("no lines at all are not well")
    usage = subprocess.run([program, "--help"], capture_output=True, text=True, timeout=10)
    if usage.returncode != 0 or "narrow FORMAT stochastic MODE VALUE RANDOM" not in usage.stdout or "post FORMAT rne MODE SCALE BIAS RELU VALUE" not in usage.stdout:
        bad.append(f"--help: {usage.returncode} {usage.stdout}")
    wrong = subprocess.run([program, "--nothing"], capture_output=True, text=True, timeout=10)
    if wrong.returncode != 2 or "--nothing" not in wrong.stderr:
        bad.append(f"--nothing: {wrong.returncode} {wrong.stderr}")
    return bad


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=12000)
    options = parser.parse_args()
    bad = compare(options.program, options.seed, options.count) + errors(options.program)
    for one in bad:
        print(one)
    print(f"{options.count} operations against rational arithmetic, seed {options.seed}: {'FAILED' if bad else 'all equal'}")
    return 1 if bad else 0


sys.exit(main())
