// SPDX-License-Identifier: MIT
#include "graphpatcher/patcher/detail/gcn_row.hpp"

#include "patcher/detail/row_layers.hpp"

namespace gp = graphpatcher;
using gp::normalisation;
using layer_type = gp::gcn_layer<double>;
using row_type = gp::fast::gcn_row<double>;
using row_layers::packed;

TEST_CASE("a graph convolution of three messages, by hand", "[patcher][fast]") {
  layer_type mean(2, 2, normalisation::mean, gp::random_stream(1, gp::purpose::initialisation));
  mean.weight.value = {{1, 0}, {0, 2}};
  mean.bias.value = {{0.5, -1}};
  const slow::dense x{{3, 1}, {6, 2}, {0, 0}};
  const auto messages = row_layers::messages_of(packed<row_type>(mean), x);
  CHECK(messages(1, 0) == 6);
  CHECK(messages(1, 1) == 4);
  for (std::size_t c = 2; c < 8; ++c) {
    CHECK(messages(1, c) == 0);  // the padding
  }
  CHECK(row_layers::receiver(messages, 0, {0, 1, 2}, {}).output(packed<row_type>(mean)) == std::vector<double>{3.5, 1});
  CHECK(row_layers::receiver(messages, 0, {}, {}).output(packed<row_type>(mean)) == std::vector<double>{0.5, -1});

  layer_type symmetric = mean;
  symmetric.norm = normalisation::symmetric;
  CHECK(packed<row_type>(symmetric).scales_sources());
  CHECK_FALSE(packed<row_type>(mean).scales_sources());
  // four sources: (3 + 6 / 2 + 0 / 4 + 6) / 2 + 0.5 and (2 + 4 / 2 + 0 / 4 + 4) / 2 - 1
  CHECK(row_layers::receiver(messages, 0, {0, 1, 2, 1}, {1, 0.5, 0.25, 1}).output(packed<row_type>(symmetric)) ==
        std::vector<double>{6.5, 3});
}

TEST_CASE("rows of a graph convolution are the layer's, and their adjoints the slopes", "[patcher][fast]") {
  for (const auto norm : {normalisation::mean, normalisation::symmetric}) {
    for (const auto& [in, out] : {std::pair{3, 1}, {5, 8}, {4, 13}}) {
      INFO((norm == normalisation::mean ? "mean " : "symmetric ") << in << " x " << out);
      const auto random = row_layers::randomised(
          layer_type(in, out, norm, gp::random_stream(1, gp::purpose::initialisation)), static_cast<unsigned>(out));
      row_layers::check_outputs<row_type>(random);
      row_layers::check_combine_adjoint<row_type>(random, row_layers::lists());
      row_layers::check_finish_adjoint<row_type>(random);
    }
  }
}
