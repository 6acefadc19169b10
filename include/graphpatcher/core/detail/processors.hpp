// SPDX-License-Identifier: MIT
#pragma once

#include <sched.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

namespace graphpatcher::detail {

/// Processors worth of time that one group of a cgroup hierarchy has, rounded up; 0 = as many as there are.
/// Version 2 writes "quota period" or "max period" into one file, version 1 has a file each and -1 for no limit.
inline int processors_of_group(const std::string& folder) {
  std::string quota;
  double period = 0;
  if (std::ifstream both(folder + "/cpu.max"); !(both >> quota >> period)) {
    std::ifstream(folder + "/cpu.cfs_quota_us") >> quota;
    std::ifstream(folder + "/cpu.cfs_period_us") >> period;
  }
  double time = 0;
  const bool limited = static_cast<bool>(std::istringstream(quota) >> time);  // "max" is no number
  const double processors = limited && time > 0 && period > 0 ? time / period : 0;
  const int whole = static_cast<int>(std::min(processors, 1e6));
  return whole + (processors > whole ? 1 : 0);
}

/// The least that the groups of this process and those around them have; 0 = no limit. A line of /proc/self/cgroup
/// is "0::/path", or "4:cpu,cpuacct:/path" in version 1; inside a container the path may be that of the host, whose
/// folders are not to be seen. `root` stands before every path.
inline int processors_of_groups(const std::string& root = "") {
  int least = 0;
  std::ifstream list(root + "/proc/self/cgroup");
  for (std::string line; std::getline(list, line);) {
    const auto names = line.find(':') + 1, end = line.find(':', names);
    if (names == 0 || end == std::string::npos) {
      continue;
    }
    const std::string controllers = "," + line.substr(names, end - names) + ",";
    if (controllers != ",," && controllers.find(",cpu,") == std::string::npos) {
      continue;
    }
    const std::string base = root + "/sys/fs/cgroup" + (controllers == ",," ? "" : "/cpu");
    for (std::string path = line.substr(end + 1);;) {
      const int here = processors_of_group(base + path);
      least = least == 0 || (here != 0 && here < least) ? here : least;
      const auto slash = path.rfind('/');
      if (path.empty() || slash == std::string::npos) {
        break;
      }
      path.resize(slash);
    }
  }
  return least;
}

/// What the machine has, less where the process may run on some of them only or gets a share of their time.
inline int usable_processors() {
  int count = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0) {
    count = std::min(count, CPU_COUNT(&allowed));
  }
  const int share = processors_of_groups();
  return share == 0 ? count : std::min(count, share);
}

}  // namespace graphpatcher::detail
