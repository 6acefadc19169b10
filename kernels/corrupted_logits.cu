// SPDX-License-Identifier: MIT
#include "kernels/corrupted_logits.cuh"

#include "kernels/operations.hpp"

namespace graphpatcher::backend {

template <class T, class S, graph_index I>
corrupted_logits_plan plan_corrupted_logits(const cuda&, const frozen_gcn<T, S>& model, std::size_t anchors,
                                            std::size_t samples, const corrupted_answers<T>& answers) {
  return kernels::plan_pairs<T, S, I>(model, anchors, samples, answers);
}

template <class T, class S, graph_index I>
void on_cuda::corrupted_logits(const device& exec, const graph_view<I>& graph, const frozen_gcn<T, S>& model,
                               std::span<const I> anchors, const corruption_options& options,
                               const corrupted_answers<T>& answers) {
  kernels::run_pairs(exec, graph, model, anchors, options, answers);
}

#define GP_INSTANTIATE(T, S, I)                                                                                        \
  template void on_cuda::corrupted_logits(const device&, const graph_view<I>&, const frozen_gcn<T, S>&,                \
                                          std::span<const I>, const corruption_options&, const corrupted_answers<T>&); \
  template corrupted_logits_plan plan_corrupted_logits<T, S, I>(const cuda&, const frozen_gcn<T, S>&, std::size_t,     \
                                                                std::size_t, const corrupted_answers<T>&);

GP_INSTANTIATE(float, float, std::int32_t)
GP_INSTANTIATE(float, float16, std::int32_t)
GP_INSTANTIATE(float, bfloat16, std::int32_t)
GP_INSTANTIATE(double, double, std::int32_t)
#undef GP_INSTANTIATE

}  // namespace graphpatcher::backend
