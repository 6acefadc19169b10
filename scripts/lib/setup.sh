# SPDX-License-Identifier: MIT
# Shared by the scripts beside this folder: source it, then call need_packages.
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root" || exit

say() { printf '%s\n' "==> $*"; }
fail() { printf '%s\n' "$*" >&2; exit 1; }

# Whether what a Debian package brings is there: a tool by its command, wherever it came from; a library by its package.
has_package() {
  case $1 in
    g++-aarch64-linux-gnu) command -v aarch64-linux-gnu-g++ ;;
    qemu-user) command -v qemu-aarch64 ;;
    g++ | cmake | pkg-config | clang | clang-format | python3 | valgrind) command -v "$1" ;;
    ninja-build) command -v ninja ;;
    *) dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null | grep -x installed ;;
  esac >/dev/null
}

# need_packages NAME...: installs what is missing if it may; otherwise says what to run and stops.
need_packages() {
  local missing=() name
  if ! command -v apt-get >/dev/null; then
    say "no apt-get here: make sure that these Debian packages have their like installed: $*"
    return
  fi
  for name in "$@"; do
    has_package "$name" || missing+=("$name")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  if [ "$(id -u)" -ne 0 ]; then
    fail "Some packages are missing. Install them with

  sudo apt-get update && sudo apt-get install -y ${missing[*]}

and run this again."
  fi
  say "installing ${missing[*]}"
  install_packages "${missing[@]}" 2>/dev/null || { apt-get update -qq && install_packages "${missing[@]}"; }
}

install_packages() {
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

# shellcheck disable=SC2034  # read by the scripts
build_packages=(g++ cmake ninja-build libeigen3-dev nlohmann-json3-dev zlib1g-dev libcli11-dev)
# shellcheck disable=SC2034
test_packages=(catch2 librapidcheck-dev pkg-config python3)
# shellcheck disable=SC2034
valgrind_packages=(valgrind)
# What runs the core as another processor does; a sanitizer doesn't.
# shellcheck disable=SC2034
cross_packages=(g++-aarch64-linux-gnu qemu-user)
# shellcheck disable=SC2034
cuda_test_packages=(libboost-context-dev python3)
# shellcheck disable=SC2034
fuzz_packages=(clang libclang-rt-14-dev)
