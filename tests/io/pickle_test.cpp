// SPDX-License-Identifier: MIT
#include "io/pickle.hpp"

#include <catch2/catch.hpp>

#include <set>

#include "io/pickle_writer.hpp"

using namespace graphpatcher;
using gp_test::bytes_of;
using gp_test::pickle_writer;
using gp_test::raw;

namespace {

pickle_document decode(std::string_view bytes) {
  return decode_pickle("test.pkl", bytes_of(bytes));
}

/// The format_error that decoding `bytes` gives.
format_error failure_of(std::string_view bytes) {
  try {
    decode(bytes);
  } catch (const format_error& failure) {
    CHECK(failure.path() == "test.pkl");
    return failure;
  }
  FAIL("decoded without an error");
  throw std::logic_error("not reached");
}

void check_failure(std::string_view bytes, std::uint64_t offset, const std::string& message) {
  const auto failure = failure_of(bytes);
  CHECK(failure.offset() == offset);
  CHECK_THAT(failure.what(), Catch::Contains(message));
}

}  // namespace

TEST_CASE("pickle: plain values") {
  const auto file = decode(raw("\x80\x02(K\x07M\x01\x02J\xff\xff\xff\xffU\x02hiN\x88\x89t."));
  const auto& items = file.items(file.root(), pickle_kind::tuple, "the tuple");
  REQUIRE(items.size() == 7);
  CHECK(file.integer(items[0], "item") == 7);
  CHECK(file.integer(items[1], "item") == 513);
  CHECK(file.integer(items[2], "item") == -1);
  CHECK(file.string(items[3], "item") == "hi");
  CHECK(items[4].kind == pickle_kind::none);
  CHECK((items[5].kind == pickle_kind::boolean && items[5].number == 1));
  CHECK((items[6].kind == pickle_kind::boolean && items[6].number == 0));
  CHECK_THROWS_AS(file.integer(items[3], "item"), format_error);
  CHECK_THROWS_AS(file.count(items[2], "item"), format_error);
}

TEST_CASE("pickle: tuples of one, two and three, lists and dicts") {
  const auto file =
      decode(raw("\x80\x02}(K\x01)K\x02K\x05\x85K\x03K\x05K\x06\x86K\x04K\x05K\x06K\x07\x87K\x05](K\x08K\x09"
                 "eK\x0a"
                 "au."));
  const auto& items = file.items(file.root(), pickle_kind::dict, "the dict");
  REQUIRE(items.size() == 10);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(file.integer(items[2 * i], "key") == static_cast<std::int64_t>(i + 1));
    CHECK(file.items(items[2 * i + 1], pickle_kind::tuple, "value").size() == i);
  }
  const auto& list = file.items(items[9], pickle_kind::list, "value");
  REQUIRE(list.size() == 3);
  CHECK(list[0].number == 8);
  CHECK(list[2].number == 10);
}

TEST_CASE("pickle: the memo shares one value, even a list inside itself") {
  const auto shared =
      decode(raw("\x80\x02(]q\x01h\x01K\x05"
                 "at."));
  const auto& items = shared.items(shared.root(), pickle_kind::tuple, "the tuple");
  REQUIRE(items.size() == 2);
  CHECK(shared.items(items[0], pickle_kind::list, "first").size() == 1);

  const auto cyclic =
      decode(raw("\x80\x02]r\x01\x00\x00\x00h\x01"
                 "a."));
  const auto& list = cyclic.items(cyclic.root(), pickle_kind::list, "the list");
  REQUIRE(list.size() == 1);
  CHECK(list[0].number == cyclic.root().number);
}

TEST_CASE("pickle: a million nested lists need no recursion") {
  std::string bytes = raw("\x80\x02");
  bytes += std::string(1000000, ']') + std::string(999999, 'a') + ".";
  const auto file = decode(bytes);
  CHECK(file.items(file.root(), pickle_kind::list, "the list").size() == 1);
}

TEST_CASE("pickle: only six names are known, and nothing is loaded") {
  check_failure(
      "\x80\x02"
      "cos\nsystem\n(U\x02ls\x85R.",
      2, "'os.system' is not a name that Planetoid files use");
  check_failure(
      "\x80\x02"
      "c__builtin__\neval\n.",
      2, "__builtin__.eval");
  check_failure(
      "\x80\x02"
      "c__builtin__\nlist2\n.",
      2, "__builtin__.list2");
  check_failure(
      "\x80\x02"
      "cnumpy\n_reconstruct\n.",
      2, "numpy._reconstruct");
  check_failure(
      "\x80\x02"
      "cposix\nsys\x1btem\n.",
      2, "posix.sys?tem");
  check_failure(
      "\x80\x02"
      "c" +
          std::string(100, 'a') + "\nb\n.",
      3, "newline");
  for (const auto& [module, name] : {std::pair{"scipy.sparse.csr", "csr_matrix"},
                                     {"numpy.core.multiarray", "_reconstruct"},
                                     {"numpy", "ndarray"},
                                     {"numpy", "dtype"},
                                     {"collections", "defaultdict"},
                                     {"__builtin__", "list"}}) {
    CHECK(decode(pickle_writer{}.global(module, name).stop()).root().kind == pickle_kind::global);
  }
}

TEST_CASE("pickle: every byte that is not one of the 27 opcodes after the protocol is refused") {
  const std::set<int> known{'.',  '(', 'N', 0x88, 0x89, 'J', 'K', 'M', 'U', 'T', 'c',  ')', 0x85, 0x86,
                            0x87, 't', ']', '}',  'a',  'e', 'u', 'q', 'r', 'h', 0x81, 'R', 'b'};
  REQUIRE(known.size() == 27);
  for (int opcode = 0; opcode < 256; ++opcode) {
    if (!known.contains(opcode)) {
      check_failure(raw("\x80\x02N") + static_cast<char>(opcode) + std::string(16, '\0'), 3,
                    "opcode " + std::to_string(opcode));
    }
  }
}

TEST_CASE("pickle: only the calls that occur are known") {
  check_failure(raw("\x80\x02"
                    "c__builtin__\nlist\n)R."),
                21, "it was not made");
  check_failure(raw("\x80\x02"
                    "c__builtin__\nlist\n)\x81."),
                21, "csr_matrix without arguments");
  check_failure(raw("\x80\x02"
                    "cscipy.sparse.csr\ncsr_matrix\nK\x01\x85\x81."),
                34, "csr_matrix without arguments");
  check_failure(raw("\x80\x02N)R."), 4, "it was not made");
  check_failure(raw("\x80\x02NNR."), 3, "expected the arguments to be a tuple, got None");
  check_failure(raw("\x80\x02]Nb."), 4, "expected an array, a dtype or a matrix to build, got a list");
  check_failure(raw("\x80\x02"
                    "cscipy.sparse.csr\ncsr_matrix\n)\x81}b}b."),
                36, "built once");
  check_failure(raw("\x80\x02"
                    "cnumpy\ndtype\nU\x02i4K\x01K\x01\x87R."),
                24, "it was not made");
  check_failure(raw("\x80\x02"
                    "cnumpy\ndtype\nK\x04K\x00K\x01\x87R."),
                15, "expected a dtype's code to be a string");
  check_failure(raw("\x80\x02"
                    "ccollections\ndefaultdict\nN\x85R."),
                29, "it was not made");
}

TEST_CASE("pickle: what is not on the stack can't be taken") {
  for (const char* opcodes : {"a", "e", "u", "t", "b", "R", ".", "\x85", "\x86", "\x87", "\x81", "q\x01"}) {
    CHECK_THROWS_AS(decode(raw("\x80\x02") + opcodes + "N."), format_error);
  }
  check_failure(raw("\x80\x02N(\x85."), 4, "expected 1 values on the stack, got 0");
  check_failure(raw("\x80\x02N(a."), 4, "expected 1 values on the stack, got 0");
  check_failure(raw("\x80\x02]Ne."), 4, "expected a mark");
  check_failure(raw("\x80\x02NN."), 4, "expected one value at the end, got 1 more");
  check_failure(raw("\x80\x02(N."), 4, "1 marks");
  check_failure(raw("\x80\x02}(Nu."), 5, "in pairs");
  check_failure(raw("\x80\x02](NNu."), 2, "expected what items are added to to be a dict, got a list");
}

TEST_CASE("pickle: the memo has no gaps and no future") {
  check_failure(raw("\x80\x02Nh\x01."), 3, "memo entry 1 was never set");
  check_failure(raw("\x80\x02Nq\x01h\x00."), 5, "memo entry 0 was never set");
  check_failure(raw("\x80\x02Nr\xff\xff\xff\xff."), 3, "expected a memo index of at most 1, got 4294967295");
}

TEST_CASE("pickle: lengths are checked against the file before anything is made") {
  check_failure(raw("\x80\x02T\xff\xff\xff\x7fx."), 7, "(2147483647 bytes), got the end of the data after 2");
  check_failure(raw("\x80\x02T\xff\xff\xff\xff."), 2, "expected a string's length of at least 0, got -1");
  check_failure(raw("\x80\x02U\x05hi."), 4, "(5 bytes)");
  check_failure(raw("\x80\x02J\x01"), 3, "expected an integer");
  check_failure(raw("\x80\x02N"), 3, "expected an opcode");
  check_failure(raw("\x80\x02N.N"), 4, "expected the end of the file, got 1 more bytes");
  check_failure(raw("\x80\x04N."), 0, "protocol 2");
  check_failure(raw("N."), 0, "protocol 2");
  check_failure("", 0, "expected a pickle");
}

TEST_CASE("pickle: every shorter version of a file is refused") {
  const std::string whole = gp_test::tiny_planetoid{}.allx;
  CHECK_NOTHROW(decode(whole));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    CHECK(failure_of(std::string_view(whole).substr(0, length)).offset() <= length);
  }
}
