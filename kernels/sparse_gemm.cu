// SPDX-License-Identifier: MIT
#include "kernels/sparse_gemm.cuh"

#include <optional>
#include <vector>

#include "kernels/dense_rows.cuh"
#include "kernels/group_by.hpp"
#include "kernels/operations.hpp"
#include "kernels/row_sum.cuh"

namespace graphpatcher::backend::on_cuda {
namespace {

using kernels::sparse_rows_policy;

/// `x` on the device: ids and value offsets are sent along, the table is there
/// already.
template <class T, graph_index I>
class uploaded_rows {
public:
  uploaded_rows(const device& exec, const sparse_rows<T, I>& x)
      : table_(x.table->on(exec)), own_values_(x.values.data()), ids_(exec, x.ids) {
    if (!x.value_offsets.empty()) {
      starts_.emplace(exec, x.value_offsets.first(x.ids.size()));
    }
  }

  kernels::device_sparse_rows<T, I> view() const {
    return {table_.offsets.data(),
            table_.columns.data(),
            starts_ ? own_values_ : table_.values.data(),
            ids_.data(),
            starts_ ? starts_->data() : nullptr,
            static_cast<std::int64_t>(ids_.size())};
  }

private:
  sparse_view<T, I> table_;
  const T* own_values_;
  device_array<I> ids_;
  std::optional<device_array<std::size_t>> starts_;
};

/// A non-zero of x: where its value stands and which row of x it is in.
template <graph_index I>
struct listed_nonzeros {
  std::vector<I> columns;
  std::vector<I> rows;
  std::vector<I> values;
};

template <class T, graph_index I>
listed_nonzeros<I> list_nonzeros(const sparse_rows<T, I>& x) {
  listed_nonzeros<I> result;
  for (std::size_t r = 0; r < x.ids.size(); ++r) {
    if (x.ids[r] < 0) {
      continue;
    }
    const auto id = static_cast<std::size_t>(x.ids[r]);
    const auto columns = x.table->row_columns(id);
    const std::size_t start =
        x.value_offsets.empty() ? static_cast<std::size_t>(x.table->offsets()[id]) : x.value_offsets[r];
    expects_index_fits<I>(start + columns.size(), "values of sparse rows");
    for (std::size_t i = 0; i < columns.size(); ++i) {
      result.columns.push_back(columns[i]);
      result.rows.push_back(static_cast<I>(r));
      result.values.push_back(static_cast<I>(start + i));
    }
  }
  return result;
}

template <class I>
std::vector<I> permuted(const std::vector<I>& values, const std::vector<I>& order) {
  std::vector<I> result(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    result[i] = values[static_cast<std::size_t>(order[i])];
  }
  return result;
}

template <class T, graph_index I>
void project_rows(const device& exec, const sparse_rows<T, I>& x, matrix_view<const T> w, matrix_view<T> out) {
  const uploaded_rows<T, I> rows(exec, x);
  const auto view = rows.view();
  kernels::row_sum(exec, kernels::row_sum_problem<T, T, I>{.rows = out.rows(),
                                                           .cols = out.cols(),
                                                           .entries = x.table->nonzeros(),
                                                           .offsets = view.offsets,
                                                           .ids = view.ids,
                                                           .sources = view.columns,
                                                           .x = w,
                                                           .weights = {view.values, 1},
                                                           .weight_starts = view.value_starts,
                                                           .out = out});
}

template <class T, class S, graph_index I>
void project_rows(const device& exec, const dense_table_rows<S, I>& x, matrix_view<const T> w, matrix_view<T> out) {
  kernels::for_each_panel<T>(exec, x, [&](matrix_view<const T> rows, std::size_t begin, std::size_t end) {
    gemm<T>(exec, {rows, false}, {w, false}, out.middle_rows(begin, end), false);
  });
}

template <class T, graph_index I>
void project_rows_adjoint(const device& exec, const sparse_rows<T, I>& x, matrix_view<const T> g, matrix_view<T> dw) {
  const listed_nonzeros<I> nonzeros = list_nonzeros(x);
  const kernels::grouping<I> groups = kernels::group_by<I>(nonzeros.columns, x.table->cols());
  const device_array<I> targets(exec, groups.keys);
  const device_array<I> offsets(exec, groups.offsets);
  const device_array<I> rows(exec, permuted(nonzeros.rows, groups.members));
  const device_array<I> values(exec, permuted(nonzeros.values, groups.members));
  const T* const all_values = x.value_offsets.empty() ? x.table->on(exec).values.data() : x.values.data();
  kernels::row_sum(exec, kernels::row_sum_problem<T, T, I>{.rows = groups.keys.size(),
                                                           .cols = dw.cols(),
                                                           .entries = groups.members.size(),
                                                           .longest_row = groups.longest,
                                                           .offsets = offsets.data(),
                                                           .sources = rows.data(),
                                                           .x = g,
                                                           .weights = {all_values, 1},
                                                           .weight_rows = values.data(),
                                                           .targets = targets.data(),
                                                           .accumulate = true,
                                                           .out = dw});
}

template <class T, class S, graph_index I>
void project_rows_adjoint(const device& exec, const dense_table_rows<S, I>& x, matrix_view<const T> g,
                          matrix_view<T> dw) {
  kernels::for_each_panel<T>(exec, x, [&](matrix_view<const T> rows, std::size_t begin, std::size_t end) {
    gemm<T>(exec, {rows, true}, {g.middle_rows(begin, end), false}, dw, true);
  });
}

template <class T, graph_index I>
void fill_rows(const device& exec, const sparse_rows<T, I>& x, matrix_view<T> out) {
  const uploaded_rows<T, I> rows(exec, x);
  const dim3 grid(kernels::grid_for(out.rows(), sparse_rows_policy::threads / kernels::warp_size));
  kernels::fill_dense<T, I><<<grid, sparse_rows_policy::threads, 0, stream_of(exec)>>>(
      rows.view(), static_cast<std::int64_t>(out.cols()), out);
  check_launch("fill_dense", grid, sparse_rows_policy::threads);
}

template <class T, class S, graph_index I>
void fill_rows(const device& exec, const dense_table_rows<S, I>& x, matrix_view<T> out) {
  kernels::fill_rows<T>(exec, x, out);
}

template <class T, graph_index I>
void drop_rows(const device& exec, const kernels::number_rule<T>& rule, const sparse_rows<T, I>& x,
               const std::size_t* starts, std::span<T> values) {
  const uploaded_rows<T, I> rows(exec, x);
  const int lanes = kernels::lanes_for(kernels::ceil_div(values.size(), x.ids.size()), 1);
  const dim3 grid(kernels::grid_for(x.ids.size(), sparse_rows_policy::threads / static_cast<std::size_t>(lanes)));
  kernels::drop_nonzeros<T, I><<<grid, sparse_rows_policy::threads, 0, stream_of(exec)>>>(
      lanes, rule.stream, rule.threshold, rule.factor, rows.view(), starts, values.data());
  check_launch("drop_nonzeros", grid, sparse_rows_policy::threads);
}

template <class T, class S, graph_index I>
void drop_rows(const device& exec, const kernels::number_rule<T>& rule, const dense_table_rows<S, I>& x,
               const std::size_t* starts, std::span<T> values) {
  kernels::uploaded_dense_rows<S, I>(exec, x).read(exec, rule, starts, kernels::device_rows<T>(values.data(), 0));
}

}  // namespace

template <class T, graph_index I>
void sparse_gemm(const device& exec, const feature_rows<T, I>& x, matrix_view<const T> w, matrix_view<T> out) {
  visit_rows(exec, x, [&](const auto& rows) { project_rows(exec, rows, w, out); });
}

template <class T, graph_index I>
void sparse_gemm_adjoint(const device& exec, const feature_rows<T, I>& x, matrix_view<const T> g, matrix_view<T> dw) {
  visit_rows(exec, x, [&](const auto& rows) { project_rows_adjoint(exec, rows, g, dw); });
}

template <class T, graph_index I>
void sparse_to_dense(const device& exec, const feature_rows<T, I>& x, matrix_view<T> out) {
  if (!out.empty()) {
    visit_rows(exec, x, [&](const auto& rows) { fill_rows(exec, rows, out); });
  }
}

template <class T, graph_index I>
void sparse_dropout(const device& exec, random_stream stream, double probability, const feature_rows<T, I>& x,
                    std::span<const std::size_t> offsets, std::span<T> values) {
  if (x.ids.empty() || values.empty()) {
    return;
  }
  const device_array<std::size_t> starts(exec, offsets.first(x.ids.size()));
  const kernels::number_rule<T> rule{stream, probability_threshold(probability), static_cast<T>(1 / (1 - probability))};
  visit_rows(exec, x, [&](const auto& rows) { drop_rows(exec, rule, rows, starts.data(), values); });
}

#define GP_INSTANTIATE(T, I)                                                                                         \
  template void sparse_gemm(const device&, const feature_rows<T, I>&, matrix_view<const T>, matrix_view<T>);         \
  template void sparse_gemm_adjoint(const device&, const feature_rows<T, I>&, matrix_view<const T>, matrix_view<T>); \
  template void sparse_to_dense(const device&, const feature_rows<T, I>&, matrix_view<T>);                           \
  template void sparse_dropout(const device&, random_stream, double, const feature_rows<T, I>&,                      \
                               std::span<const std::size_t>, std::span<T>);
GP_INSTANTIATE(float, std::int32_t)
GP_INSTANTIATE(float, std::int64_t)
GP_INSTANTIATE(double, std::int32_t)
GP_INSTANTIATE(double, std::int64_t)
#undef GP_INSTANTIATE

}  // namespace graphpatcher::backend::on_cuda
