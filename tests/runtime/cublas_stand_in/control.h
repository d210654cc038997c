// A cuBLAS without a GPU, for tests: the functions that the measurements use, on the memory and the streams
// of the stand-in driver. It checks the arguments of every call as the library documents them and multiplies
// on the host.
//
// A test links this library for the functions below and has the runtime open the same file through
// ALGRT_CUBLAS.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace algrt::cublas_stand_in {

struct Behaviour {
  double batched_microseconds = 100, grouped_microseconds = 100; // of a call, on the device's clock
  int batched_status = 0, grouped_status = 0;                    // what the calls return
  // Leaves a product of a batch out: its number over all calls of the function; negative: none.
  int64_t forgets = -1;
};

void reset(const Behaviour &behaviour);
// Every call so far that the documentation forbids, in words.
std::vector<std::string> violations();
int liveHandles();
// Called when a call's work runs, with "batched" or "grouped" and the number of products.
void onProducts(std::function<void(const std::string &function, int64_t products)> callback);

} // namespace algrt::cublas_stand_in
