// SPDX-License-Identifier: MIT
//
// Errors: the last one of a thread, the one that a broken context keeps, the ones that tests ask for.
#include <algorithm>
#include <iterator>

#include "api.hpp"
#include "state.hpp"

namespace gpu_host::runtime {
namespace {

thread_local cudaError_t last_error = cudaSuccess;

struct error_text {
  cudaError_t code;
  const char* name;
  const char* text;
};

// Those that a program is likely to meet, in the runtime's own words.
constexpr error_text known_errors[] = {
#define GP_ERROR(code, text) \
  { code, #code, text }
    GP_ERROR(cudaSuccess, "no error"),
    GP_ERROR(cudaErrorInvalidValue, "invalid argument"),
    GP_ERROR(cudaErrorMemoryAllocation, "out of memory"),
    GP_ERROR(cudaErrorInitializationError, "initialization error"),
    GP_ERROR(cudaErrorCudartUnloading, "driver shutting down"),
    GP_ERROR(cudaErrorInvalidConfiguration, "invalid configuration argument"),
    GP_ERROR(cudaErrorInvalidPitchValue, "invalid pitch argument"),
    GP_ERROR(cudaErrorInvalidSymbol, "invalid device symbol"),
    GP_ERROR(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
    GP_ERROR(cudaErrorInsufficientDriver, "CUDA driver version is insufficient for CUDA runtime version"),
    GP_ERROR(cudaErrorMissingConfiguration, "__global__ function call is not configured"),
    GP_ERROR(cudaErrorInvalidDeviceFunction, "invalid device function"),
    GP_ERROR(cudaErrorNoDevice, "no CUDA-capable device is detected"),
    GP_ERROR(cudaErrorInvalidDevice, "invalid device ordinal"),
    GP_ERROR(cudaErrorDeviceUninitialized, "invalid device context"),
    GP_ERROR(cudaErrorNoKernelImageForDevice, "no kernel image is available for execution on the device"),
    GP_ERROR(cudaErrorInvalidResourceHandle, "invalid resource handle"),
    GP_ERROR(cudaErrorIllegalState, "the operation cannot be performed in the present state"),
    GP_ERROR(cudaErrorSymbolNotFound, "named symbol not found"),
    GP_ERROR(cudaErrorNotReady, "device not ready"),
    GP_ERROR(cudaErrorIllegalAddress, "an illegal memory access was encountered"),
    GP_ERROR(cudaErrorLaunchOutOfResources, "too many resources requested for launch"),
    GP_ERROR(cudaErrorLaunchTimeout, "the launch timed out and was terminated"),
    GP_ERROR(cudaErrorContextIsDestroyed, "context is destroyed"),
    GP_ERROR(cudaErrorAssert, "device-side assert triggered"),
    GP_ERROR(cudaErrorHostMemoryAlreadyRegistered, "part or all of the requested memory range is already mapped"),
    GP_ERROR(cudaErrorHostMemoryNotRegistered, "pointer does not correspond to a registered memory region"),
    GP_ERROR(cudaErrorHardwareStackError, "hardware stack error"),
    GP_ERROR(cudaErrorIllegalInstruction, "an illegal instruction was encountered"),
    GP_ERROR(cudaErrorMisalignedAddress, "misaligned address"),
    GP_ERROR(cudaErrorInvalidAddressSpace, "operation not supported on global/shared address space"),
    GP_ERROR(cudaErrorInvalidPc, "invalid program counter"),
    GP_ERROR(cudaErrorLaunchFailure, "unspecified launch failure"),
    GP_ERROR(cudaErrorCooperativeLaunchTooLarge, "too many blocks in cooperative launch"),
    GP_ERROR(cudaErrorNotPermitted, "operation not permitted"),
    GP_ERROR(cudaErrorNotSupported, "operation not supported"),
    GP_ERROR(cudaErrorSystemNotReady, "system not yet initialized"),
    GP_ERROR(cudaErrorStreamCaptureUnsupported, "operation not permitted when stream is capturing"),
    GP_ERROR(cudaErrorStreamCaptureInvalidated, "operation failed due to a previous error during capture"),
    GP_ERROR(cudaErrorStreamCaptureMerge, "operation would result in a merge of separate capture sequences"),
    GP_ERROR(cudaErrorStreamCaptureUnmatched, "capture was not ended in the same stream as it began"),
    GP_ERROR(cudaErrorStreamCaptureUnjoined, "capturing stream has unjoined work"),
    GP_ERROR(cudaErrorStreamCaptureIsolation, "dependency created on uncaptured work in another stream"),
    GP_ERROR(cudaErrorStreamCaptureImplicit,
             "operation would make the legacy stream depend on a capturing blocking stream"),
    GP_ERROR(cudaErrorCapturedEvent, "operation not permitted on an event last recorded in a capturing stream"),
    GP_ERROR(cudaErrorStreamCaptureWrongThread,
             "attempt to terminate a thread-local capture sequence from another thread"),
    GP_ERROR(cudaErrorGraphExecUpdateFailure,
             "the graph update was not performed because it included changes which violated constraints specific to "
             "instantiated graph update"),
    GP_ERROR(cudaErrorUnknown, "unknown error"),
#undef GP_ERROR
};

const error_text* find_text(cudaError_t code) {
  const auto found = std::find_if(std::begin(known_errors), std::end(known_errors),
                                  [&](const error_text& known) { return known.code == code; });
  return found == std::end(known_errors) ? nullptr : found;
}

}  // namespace

void set_last_error(cudaError_t code) {
  last_error = code;
}

injection count_call(const char* name) {
  ++state().calls[name];
  auto& failures = state().failures;
  injection now;
  for (auto failure = failures.begin(); failure != failures.end();) {
    const bool by_name = failure->function == name;
    const bool meant = by_name || failure->function == "*";
    if (meant && --failure->calls_left <= 0 && now.status == 0) {
      now = {failure->status, by_name};
      failure = failures.erase(failure);
    } else {
      ++failure;
    }
  }
  return now;
}

void check_context(needs need) {
  const runtime_state& now = state();
  require(!now.in_host_function, cudaErrorNotPermitted);
  if (need == needs::nothing) {
    return;
  }
  require(now.driver_version / 1000 >= CUDART_VERSION / 1000, cudaErrorInsufficientDriver);
  if (need == needs::device) {
    require(now.devices > 0, cudaErrorNoDevice);
    require(now.broken == cudaSuccess, now.broken);
  }
}

void break_context(cudaError_t code, const char* what) {
  if (state().broken == cudaSuccess) {
    state().broken = code;
    state().fault = what;
  }
  for (const auto& stream : all_streams()) {
    stream->queue.clear();
  }
}

}  // namespace gpu_host::runtime

using namespace gpu_host::runtime;

extern "C" {

cudaError_t cudaPeekAtLastError() {
  const std::scoped_lock lock(mutex());
  ++state().calls["cudaPeekAtLastError"];
  return state().broken != cudaSuccess ? state().broken : last_error;
}

cudaError_t cudaGetLastError() {
  const std::scoped_lock lock(mutex());
  ++state().calls["cudaGetLastError"];
  const cudaError_t code = state().broken != cudaSuccess ? state().broken : last_error;
  last_error = cudaSuccess;
  return code;
}

const char* cudaGetErrorName(cudaError_t code) {
  const error_text* known = find_text(code);
  return known != nullptr ? known->name : "unrecognized error code";
}

const char* cudaGetErrorString(cudaError_t code) {
  const error_text* known = find_text(code);
  return known != nullptr ? known->text : "unrecognized error code";
}
}
