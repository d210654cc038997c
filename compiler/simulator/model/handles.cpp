#include "compiler/simulator/model/handles.h"

#include "compiler/simulator/model/multiprocessor.h"

#include <cstring>

namespace simulator {

void checkStoredHandles(Multiprocessor &model, Thread &thread) {
  const uint8_t *at = thread.stored_at;
  const int64_t bytes = thread.stored_bytes;
  thread.stored_at = nullptr;
  bool found = false;
  if (bytes == 2) {
    uint16_t value;
    std::memcpy(&value, at, 2);
    found = isHalfHandle(value);
  }
  // Words: a lone lower half is left alone, since it may be the end of an ordinary f32.
  for (int64_t word = 0; word + 4 <= bytes; word += 4) {
    float value;
    std::memcpy(&value, at + word, 4);
    found |= isHandle(value);
  }
  if (found) {
    thread.site = thread.stored_site;
    model.fault(FaultKind::UnsettledAccumulator, "stores the value of an accumulator that was in flight when "
                                                 "it was taken: no wait and settle before it");
  }
}

} // namespace simulator
