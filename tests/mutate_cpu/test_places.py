# SPDX-License-Identifier: MIT
"""Where scripts/mutate-cpu breaks headers, and what it makes of them."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts" / "lib"))

from mutation.places import places_of, rewritten  # noqa: E402


def changes(text):
    return [(place.change, text.split("\n")[place.line - 1][place.column - 1:][:1]) for place in places_of("a.hpp", text)]


def names(text):
    return [place.change for place in places_of("a.hpp", text)]


class Places(unittest.TestCase):
    def test_operators_signs_and_constants(self):
        self.assertEqual(changes("int f(int a) {\n  return a * 2 < -a;\n}"),
                         [("* → /", "*"), ("2 → 2 + 1", "2"), ("< → <=", "<"), ("-x → x", "-")])
        self.assertEqual(names("void f() { a += b % c; }"), ["+= → -=", "% → *"])
        self.assertEqual(names("void f() { x = 1e-9 == y; }"), ["1e-9 → 1e-9 + 1", "== → !="])
        self.assertEqual(names("void f() { x = a - b - c; }"), ["- → +", "- → + (number 2)"])
        self.assertEqual(names("void f() { x = a\n + -b * -c; }"), ["+ → -", "-x → x", "* → /"])  # a sign behind * is left

    def test_conditions(self):
        self.assertEqual(names("void f() { if (a && b || c) {} }"),
                         ["if → if not", "no part behind &&", "no part behind ||"])
        self.assertEqual(names("void f() { if (const auto x = g()) {} if (int i = g(); i) {} }"), [])

    def test_what_is_no_operator(self):
        self.assertEqual(names("template <class T, int N> T* f(const T& a, T&& b, std::vector<T> c) { a->b(*c); }"), [])
        self.assertEqual(names("void f() { auto l = [=](auto&& a) -> int { return g<a, b>(c); }; }"), [])
        self.assertEqual(names("void f() {\n  // a < b\n  g(\"a < b\", '<', /* 1 + 1 */ h);\n}"), [])

    def test_what_the_compiler_evaluates(self):
        for text in ("constexpr int n = 3 + a;", "static constexpr int n[] = {1, 2};", "static_assert(1 < a);",
                     "enum class e { a = 1 };", "void f() { if constexpr (N < 2) {} }", "virtual void f() = 0;",
                     "template <int N = 1 + 2> requires(N > 1) struct s {};"):
            self.assertEqual(names(text), [], text)
        self.assertEqual(names("constexpr int f(int a) { return a + 1; }"), ["+ → -", "1 → 1 + 1"])
        self.assertEqual(names("template <class T> struct s { int n = 1; };"), ["1 → 1 + 1"])

    def test_messages(self):
        self.assertEqual(names("void f() { expects<shape_error>(a < b, \"got \", a + 1, text(b - 1)); }"), ["< → <="])
        self.assertEqual(names("void f() { throw error(text(a + 1)); }"), [])

    def test_code_for_some_processors_only(self):
        self.assertEqual(names("#if defined(__AVX2__)\nint f() { return 1; }\n#else\nint f() { return 2; }\n#endif\n"
                               "#if GP_X\nint g() { return 3; }\n#endif\n#define X a + \\\n b + c\n"), ["3 → 3 + 1"])


# Everything that can be broken, with an answer of its own for each fault.
HEADER = """// licence
#pragma once
#include <vector>
template <class T>
int answer(T a, T b) {
  std::vector<int> v(8);
  const int* const p = v.data() + 3;
  int sum = a + b * 2 < a * b - 1 ? 10 : 20;
  sum += p - v.data();
  if (a == b || (a > 2 && b != 7)) {
    sum -= -a * 100;
  }
  return sum;
}
constexpr int twice(int a) { return 2 * a; }
static_assert(twice(4) == 8);
inline int sizes[twice(3)];
"""
MAIN = """#include <cstdlib>
#include "header.hpp"
int main(int argc, char** argv) {
  gp_mutation::active = std::atoi(argv[1]);
  int total = 0;
  for (int a = 0; a < 5; ++a) {
    for (int b = 0; b < 9; ++b) total = total * 3 + answer(a, b) + answer(a + 0.5, b + 0.25) + twice(a);
  }
  std::printf("%d", total);
}
"""


class Rewritten(unittest.TestCase):
    def test_lines_stay_and_only_the_chosen_place_changes(self):
        places = places_of("header.hpp", HEADER)
        text = rewritten(HEADER, dict(enumerate(places, 1)), '#include "gp_mutation.hpp"')
        self.assertEqual(text.count("\n"), HEADER.count("\n"))
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            support = (Path(__file__).parent / "mutation.hpp").read_text()
            (folder / "gp_mutation.hpp").write_text(support)
            (folder / "header.hpp").write_text(text)
            (folder / "main.cpp").write_text("#include <cstdio>\n" + MAIN)
            subprocess.run(["c++", "-std=c++20", "-O0", "-w", "main.cpp", "-o", "main"], cwd=folder, check=True)
            plain = HEADER.replace("#pragma once", '#pragma once\n#include "gp_mutation.hpp"')
            (folder / "header.hpp").write_text(plain)
            subprocess.run(["c++", "-std=c++20", "-O0", "-w", "main.cpp", "-o", "plain"], cwd=folder, check=True)

            def answer(program, number):
                return subprocess.run([folder / program, str(number)], stdout=subprocess.PIPE, text=True).stdout

            expected = answer("plain", 0)
            self.assertEqual(answer("main", 0), expected)
            same = [place.change for number, place in enumerate(places, 1) if answer("main", number) == expected]
            # A vector longer than needed, a sum of pointers, which doesn't compile, and what the compiler evaluates.
            self.assertEqual(same, ["8 → 8 + 1", "- → +", "3 → 3 + 1"])


if __name__ == "__main__":
    unittest.main()
