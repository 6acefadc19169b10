# SPDX-License-Identifier: MIT
import shutil
import unittest

from support import ADAM, GREEDY, TILED

from kernel_resources import ResourcesError
from kernel_resources.names import readable, shorten


class NamesTest(unittest.TestCase):
    def test_return_type_namespaces_and_parameters_go(self):
        self.assertEqual(shorten("void graphpatcher::kernels::edge_dots<2, double, int>(int, "
                                 "graphpatcher::kernels::edge_dots_problem<double, int>)"), "edge_dots<2, double, int>")

    def test_no_template(self):
        self.assertEqual(shorten("graphpatcher::kernels::scan_tiles_kernel(unsigned long*, unsigned long)"),
                         "scan_tiles_kernel")

    def test_anonymous_namespaces_and_nested_arguments(self):
        self.assertEqual(
            shorten("void graphpatcher::kernels::map_kernel<false, 1, float, "
                    "graphpatcher::backend::(anonymous namespace)::normalise<float>, "
                    "graphpatcher::kernels::device_view<float const> >(unsigned long)"),
            "map_kernel<false, 1, float, normalise<float>, device_view<float const>>")

    def test_enumerators_are_not_taken_for_parameters(self):
        self.assertEqual(shorten("void graphpatcher::kernels::row_sums<8, (graphpatcher::kernels::weighing)1, __half>("
                                 "graphpatcher::kernels::row_sum_shape<float>)"), "row_sums<8, (weighing)1, __half>")

    @unittest.skipUnless(shutil.which("c++filt"), "c++filt is missing")
    def test_mangled_names(self):
        self.assertEqual(readable([ADAM, GREEDY, TILED]), {
            ADAM: "optimizer_kernel<adam_item<double>, double>", GREEDY: "greedy<double>", TILED: "tiled<float>"})
        self.assertEqual(readable([]), {})

    @unittest.skipUnless(shutil.which("c++filt"), "c++filt is missing")
    def test_two_kernels_of_one_name(self):
        # a::f<int>() and b::f<int>()
        with self.assertRaisesRegex(ResourcesError, "both called f<int>"):
            readable(["_ZN1a1fIiEEvv", "_ZN1b1fIiEEvv"])


if __name__ == "__main__":
    unittest.main()
