// SPDX-License-Identifier: MIT
//
// Graphs that captures have made: instantiation, update and launch.
#include <algorithm>

#include "api.hpp"
#include "state.hpp"

namespace gpu_host::runtime {
namespace {

graph& find_graph(cudaGraph_t handle) {
  const auto found = state().graphs.find(handle);
  require(found != state().graphs.end(), cudaErrorInvalidValue);
  return *found->second;
}

executable_graph& find_executable(cudaGraphExec_t handle) {
  const auto found = state().executable_graphs.find(handle);
  require(found != state().executable_graphs.end(), cudaErrorInvalidValue);
  return *found->second;
}

cudaGraphExec_t instantiate(cudaGraph_t handle) {
  auto made = std::make_unique<executable_graph>();
  made->nodes = std::make_shared<const std::deque<graph_node>>(find_graph(handle).nodes);
  const auto result = reinterpret_cast<cudaGraphExec_t>(made.get());
  state().executable_graphs[result] = std::move(made);
  return result;
}

// Parameters may change in an update, the shape of the graph may not.
cudaGraphExecUpdateResult compare(const std::deque<graph_node>& before, const std::deque<graph_node>& after) {
  if (before.size() != after.size()) {
    return cudaGraphExecUpdateErrorTopologyChanged;
  }
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i].after != after[i].after) {
      return cudaGraphExecUpdateErrorTopologyChanged;
    }
    if (before[i].what.type != after[i].what.type) {
      return cudaGraphExecUpdateErrorNodeTypeChanged;
    }
  }
  return cudaGraphExecUpdateSuccess;
}

}  // namespace

void run_nodes(const std::deque<graph_node>& nodes) {
  std::vector<std::size_t> unmet(nodes.size());
  std::vector<std::vector<std::size_t>> followers(nodes.size());
  std::vector<std::size_t> ready;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    unmet[i] = nodes[i].after.size();
    for (const std::size_t earlier : nodes[i].after) {
      followers[earlier].push_back(i);
    }
    if (unmet[i] == 0) {
      ready.push_back(i);
    }
  }
  while (!ready.empty()) {
    std::swap(ready[state().random() % ready.size()], ready.back());
    const std::size_t next = ready.back();
    ready.pop_back();
    nodes[next].what.run();
    for (const std::size_t follower : followers[next]) {
      if (--unmet[follower] == 0) {
        ready.push_back(follower);
      }
    }
  }
}

}  // namespace gpu_host::runtime

using namespace gpu_host::runtime;

extern "C" {

cudaError_t cudaGraphCreate(cudaGraph_t* handle, unsigned) {
  return api("cudaGraphCreate", needs::device, [&] {
    require(handle != nullptr, cudaErrorInvalidValue);
    auto made = std::make_unique<graph>();
    *handle = reinterpret_cast<cudaGraph_t>(made.get());
    state().graphs[*handle] = std::move(made);
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t handle) {
  return api("cudaGraphDestroy", needs::device, [&] {
    find_graph(handle);
    state().graphs.erase(handle);
  });
}

// As in the runtime, null for `nodes` asks for the number alone.
cudaError_t cudaGraphGetNodes(cudaGraph_t handle, cudaGraphNode_t* nodes, size_t* count) {
  return api("cudaGraphGetNodes", needs::device, [&] {
    require(count != nullptr, cudaErrorInvalidValue);
    auto& present = find_graph(handle).nodes;
    if (nodes != nullptr) {
      for (std::size_t i = 0; i < *count; ++i) {
        nodes[i] = i < present.size() ? reinterpret_cast<cudaGraphNode_t>(&present[i]) : nullptr;
      }
      *count = std::min(*count, present.size());
    } else {
      *count = present.size();
    }
  });
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t handle, cudaGraphNodeType* type) {
  return api("cudaGraphNodeGetType", needs::device, [&] {
    require(handle != nullptr && type != nullptr, cudaErrorInvalidValue);
    *type = reinterpret_cast<const graph_node*>(handle)->what.type;
  });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t handle, unsigned long long) {
  return api("cudaGraphInstantiate", needs::device, [&] {
    require(executable != nullptr, cudaErrorInvalidValue);
    *executable = instantiate(handle);
  });
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t handle, unsigned long long) {
  return api("cudaGraphInstantiateWithFlags", needs::device, [&] {
    require(executable != nullptr, cudaErrorInvalidValue);
    *executable = instantiate(handle);
  });
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t handle, cudaGraph_t graph_handle, cudaGraphExecUpdateResultInfo* info) {
  return api("cudaGraphExecUpdate", needs::device, [&] {
    require(info != nullptr, cudaErrorInvalidValue);
    executable_graph& executable = find_executable(handle);
    const graph& wanted = find_graph(graph_handle);
    *info = {};
    info->result = compare(*executable.nodes, wanted.nodes);
    require(info->result == cudaGraphExecUpdateSuccess, cudaErrorGraphExecUpdateFailure);
    executable.nodes = std::make_shared<const std::deque<graph_node>>(wanted.nodes);
  });
}

cudaError_t cudaGraphUpload(cudaGraphExec_t handle, cudaStream_t s) {
  return api("cudaGraphUpload", needs::device, [&] {
    find_executable(handle);
    find_stream(s);
  });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t handle, cudaStream_t stream_handle) {
  return api("cudaGraphLaunch", needs::device, [&] {
    executable_graph& executable = find_executable(handle);
    const auto s = find_stream(stream_handle);
    const auto run = [nodes = executable.nodes] { run_nodes(*nodes); };
    if (is_capturing(*s)) {
      record_node(*s, {cudaGraphNodeTypeGraph, run});
      return;
    }
    std::vector<moment> after;
    if (executable.latest_launch.has_value()) {
      after.push_back(*executable.latest_launch);
    }
    executable.latest_launch = moment{s, enqueue(s, run, std::move(after))};
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t handle) {
  return api("cudaGraphExecDestroy", needs::device, [&] {
    find_executable(handle);
    state().executable_graphs.erase(handle);
  });
}
}
