# SPDX-License-Identifier: MIT
import unittest

import support  # noqa: F401

from kernel_resources import ResourcesError
from kernel_resources.table import BEGIN, END, Row, from_csv, to_csv, to_markdown, with_table

HEAD = "file,kernel,arch,registers,spill_bytes,stack,shared,block,occupancy\n"
ROWS = [
    Row("spmm", "row_sums<4, float>", 80, 40, 0, 0, 0, 128, 75.0),
    Row("spmm", "row_sums<1, float>", 80, 32, 0, 0, 0, 128, 100.0),
    Row("spmm", "row_sums<1, float>", 120, 33, 0, 0, 0, 128, 66.7),
    Row("loss", "softmax<8>", 80, 20, 0, 0, 512, 256, 100.0),
]


class CsvTest(unittest.TestCase):
    def test_sorted_and_quoted(self):
        self.assertEqual(to_csv(ROWS), HEAD +
                         "loss,softmax<8>,80,20,0,0,512,256,100\n"
                         'spmm,"row_sums<1, float>",80,32,0,0,0,128,100\n'
                         'spmm,"row_sums<1, float>",120,33,0,0,0,128,66.7\n'
                         'spmm,"row_sums<4, float>",80,40,0,0,0,128,75\n')

    def test_read_back(self):
        self.assertEqual(from_csv(to_csv(ROWS), "t.csv"), sorted(ROWS))
        self.assertEqual(from_csv(HEAD, "t.csv"), [])

    def test_bad_files(self):
        line = "loss,softmax<8>,80,20,0,0,512,256,100\n"
        for text, message in [
            ("", "t.csv:1: expected the columns"),
            ("kernel,arch\n", "t.csv:1: expected the columns"),
            (HEAD + line + "loss,softmax<8>,80\n", "t.csv:3: expected 9 values"),
            (HEAD + line.replace(",20,", ",many,"), "t.csv:2: expected 9 values.*many"),
            (HEAD + line.replace(",80,", ",81,"), "t.csv:2: expected an architecture.*81"),
            (HEAD + line + line, r"t.csv:3: softmax<8> of loss.cu stands twice for sm_80"),
        ]:
            with self.subTest(message), self.assertRaisesRegex(ResourcesError, message):
                from_csv(text, "t.csv")


class MarkdownTest(unittest.TestCase):
    def test_a_line_a_template(self):
        self.assertEqual(to_markdown(ROWS), "\n".join([
            "| file | kernel | instances | block | shared, bytes | sm_80 | sm_120 |",
            "|---|---|--:|--:|--:|--:|--:|",
            "| loss | `softmax` | 1 | 256 | 512 | 20, 100 % |  |",
            "| spmm | `row_sums` | 2 | 128 | 0 | 32-40, 75 % | 33, 67 % |",
            "",
            "3 kernels on 2 architectures; 0 of these 4 spill registers.",
        ]))

    def test_only_what_is_between_the_markers_changes(self):
        page = f"before\n{BEGIN}\nold\n{END}\nafter\n"
        result = with_table(page, ROWS, "page.md")
        self.assertEqual(result, f"before\n{BEGIN}\n{to_markdown(ROWS)}\n{END}\nafter\n")
        self.assertEqual(with_table(result, ROWS, "page.md"), result)

    def test_missing_markers(self):
        for page in ("", BEGIN, END + BEGIN):
            with self.subTest(page), self.assertRaisesRegex(ResourcesError, "page.md: expected the markers"):
                with_table(page, ROWS, "page.md")


if __name__ == "__main__":
    unittest.main()
