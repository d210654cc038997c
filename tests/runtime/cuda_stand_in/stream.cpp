// Streams, events, captures and graphs.
#include "tests/runtime/cuda_stand_in/capture.h"

#include <utility>

namespace algrt::cuda_stand_in {

Result requireNoCapture(const char *symbol, State &s) {
  for (auto &[handle, stream] : s.streams) {
    if (!stream->capture || stream->mode == CaptureMode::relaxed ||
        threadCaptureMode() == CaptureMode::relaxed)
      continue;
    const bool mine = stream->thread == std::this_thread::get_id();
    const bool concerned =
        mine || (stream->mode == CaptureMode::global && threadCaptureMode() == CaptureMode::global);
    if (!concerned)
      continue;
    stream->invalidated = true;
    return violation(symbol, Result::stream_capture_unsupported, "while a stream is being captured");
  }
  return Result::success;
}

namespace {

// Work in the legacy default stream waits for every blocking stream, which a captured one cannot be waited
// for.
Result requireNoImplicitCapture(const char *symbol, State &s, bool invalidates = true) {
  for (auto &[handle, stream] : s.streams)
    if (stream->capture && stream->blocking && stream->context == currentContext()) {
      stream->invalidated |= invalidates;
      return violation(symbol, Result::stream_capture_implicit,
                       "the legacy default stream while a blocking stream is being captured");
    }
  return Result::success;
}

StreamObject *liveStream(State &s, Stream stream) {
  const auto found = s.streams.find(stream);
  return found == s.streams.end() ? nullptr : found->second.get();
}

} // namespace

Result enqueue(const char *symbol, State &s, Stream handle, std::function<void()> run) {
  if (handle == nullptr) {
    if (const Result result = requireNoImplicitCapture(symbol, s); result != Result::success)
      return result;
    s.finishCopies();
    run();
    return Result::success;
  }
  StreamObject *stream = liveStream(s, handle);
  if (stream == nullptr)
    return violation(symbol, Result::invalid_handle, "no such stream");
  if (stream->context != currentContext())
    return violation(symbol, Result::invalid_handle, "the stream belongs to another context");
  if (stream->invalidated)
    return violation(symbol, Result::stream_capture_invalidated, "the capture has been invalidated");
  if (stream->capture) {
    stream->capture->nodes.push_back(std::move(run));
    return Result::success;
  }
  if (stream->blocking)
    s.finishCopies();
  run();
  return Result::success;
}

} // namespace algrt::cuda_stand_in

namespace algrt::cuda {

using namespace cuda_stand_in;

Result cuStreamCreate(Stream *stream, unsigned int flags) {
  return entry("cuStreamCreate", Entry::needs_context, [&](State &s) {
    if (flags > stream_non_blocking)
      return violation("cuStreamCreate", Result::invalid_value, "flags that are not known");
    auto object = std::make_unique<StreamObject>();
    object->context = currentContext();
    object->blocking = flags == stream_default;
    *stream = object.get();
    s.streams[*stream] = std::move(object);
    return Result::success;
  });
}

Result cuStreamDestroy_v2(Stream stream) {
  return entry("cuStreamDestroy_v2", Entry::releases, [&](State &s) {
    return s.streams.erase(stream) != 0
               ? Result::success
               : violation("cuStreamDestroy_v2", Result::invalid_handle, "no such stream");
  });
}

Result cuStreamSynchronize(Stream handle) {
  return entry("cuStreamSynchronize", Entry::needs_context, [&](State &s) {
    if (handle == nullptr) {
      const Result result = requireNoImplicitCapture("cuStreamSynchronize", s);
      if (result == Result::success)
        s.finishCopies();
      return result;
    }
    StreamObject *stream = liveStream(s, handle);
    if (stream == nullptr)
      return violation("cuStreamSynchronize", Result::invalid_handle, "no such stream");
    if (stream->capture) {
      stream->invalidated = true;
      return violation("cuStreamSynchronize", Result::stream_capture_unsupported, "of a captured stream");
    }
    return Result::success;
  });
}

Result cuStreamWaitEvent(Stream stream, Event event, unsigned int flags) {
  return entry("cuStreamWaitEvent", Entry::needs_context, [&](State &s) {
    if (!s.events.contains(event) || (stream != nullptr && liveStream(s, stream) == nullptr) || flags > 1)
      return violation("cuStreamWaitEvent", Result::invalid_handle, "no such stream or event");
    return Result::success;
  });
}

Result cuStreamBeginCapture_v2(Stream handle, CaptureMode mode) {
  return entry("cuStreamBeginCapture_v2", Entry::needs_context, [&](State &s) {
    StreamObject *stream = liveStream(s, handle);
    if (stream == nullptr)
      return violation("cuStreamBeginCapture_v2", Result::stream_capture_unsupported,
                       "the legacy default stream cannot be captured, nor one that does not exist");
    if (stream->capture)
      return violation("cuStreamBeginCapture_v2", Result::invalid_value, "it is being captured");
    stream->capture = std::make_unique<GraphObject>();
    stream->mode = mode;
    stream->invalidated = false;
    stream->thread = std::this_thread::get_id();
    return Result::success;
  });
}

Result cuStreamEndCapture(Stream handle, Graph *graph) {
  return entry("cuStreamEndCapture", Entry::needs_context, [&](State &s) {
    *graph = nullptr;
    StreamObject *stream = liveStream(s, handle);
    if (stream == nullptr || !stream->capture)
      return violation("cuStreamEndCapture", Result::stream_capture_unmatched, "it is not being captured");
    std::unique_ptr<GraphObject> captured = std::move(stream->capture);
    if (std::exchange(stream->invalidated, false))
      return Result::stream_capture_invalidated;
    *graph = captured.get();
    s.graphs[*graph] = std::move(captured);
    return Result::success;
  });
}

Result cuStreamIsCapturing(Stream handle, CaptureStatus *status) {
  return entry("cuStreamIsCapturing", Entry::needs_context, [&](State &s) {
    *status = CaptureStatus::none;
    if (handle == nullptr)
      return requireNoImplicitCapture("cuStreamIsCapturing", s, /*invalidates=*/false);
    StreamObject *stream = liveStream(s, handle);
    if (stream == nullptr)
      return violation("cuStreamIsCapturing", Result::invalid_handle, "no such stream");
    if (stream->capture)
      *status = stream->invalidated ? CaptureStatus::invalidated : CaptureStatus::active;
    return Result::success;
  });
}

Result cuThreadExchangeStreamCaptureMode(CaptureMode *mode) {
  return entry("cuThreadExchangeStreamCaptureMode", Entry::initialised, [&](State &) {
    std::swap(*mode, threadCaptureMode());
    return Result::success;
  });
}

Result cuEventCreate(Event *event, unsigned int flags) {
  return entry("cuEventCreate", Entry::needs_context, [&](State &s) {
    auto object = std::make_unique<EventObject>();
    object->context = currentContext();
    object->timed = (flags & event_disable_timing) == 0;
    *event = object.get();
    s.events[*event] = std::move(object);
    return Result::success;
  });
}

Result cuEventDestroy_v2(Event event) {
  return entry("cuEventDestroy_v2", Entry::releases, [&](State &s) {
    return s.events.erase(event) != 0
               ? Result::success
               : violation("cuEventDestroy_v2", Result::invalid_handle, "no such event");
  });
}

Result cuEventRecord(Event event, Stream stream) {
  return entry("cuEventRecord", Entry::needs_context, [&](State &s) {
    if (!s.events.contains(event))
      return violation("cuEventRecord", Result::invalid_handle, "no such event");
    return enqueue("cuEventRecord", s, stream, [&s, event] {
      if (s.events.contains(event))
        s.events[event]->milliseconds = s.milliseconds;
    });
  });
}

Result cuEventSynchronize(Event event) {
  return entry("cuEventSynchronize", Entry::needs_context, [&](State &s) {
    return s.events.contains(event)
               ? Result::success
               : violation("cuEventSynchronize", Result::invalid_handle, "no such event");
  });
}

Result cuEventQuery(Event event) {
  return entry("cuEventQuery", Entry::needs_context, [&](State &s) {
    if (!s.events.contains(event))
      return violation("cuEventQuery", Result::invalid_handle, "no such event");
    return requireNoCapture("cuEventQuery", s);
  });
}

Result cuEventElapsedTime(float *milliseconds, Event start, Event end) {
  return entry("cuEventElapsedTime", Entry::needs_context, [&](State &s) {
    for (Event event : {start, end})
      if (!s.events.contains(event) || !s.events[event]->timed || !s.events[event]->milliseconds)
        return violation("cuEventElapsedTime", Result::invalid_handle,
                         "an event that does not exist, keeps no time or was not recorded");
    *milliseconds = float(*s.events[end]->milliseconds - *s.events[start]->milliseconds);
    return Result::success;
  });
}

Result cuGraphInstantiateWithFlags(GraphExec *exec, Graph graph, unsigned long long flags) {
  return entry("cuGraphInstantiateWithFlags", Entry::needs_context, [&](State &s) {
    if (!s.graphs.contains(graph) || flags != 0)
      return violation("cuGraphInstantiateWithFlags", Result::invalid_value, "no such graph, or flags");
    auto object = std::make_unique<GraphExecObject>();
    object->nodes = s.graphs[graph]->nodes;
    *exec = object.get();
    s.execs[*exec] = std::move(object);
    return Result::success;
  });
}

Result cuGraphLaunch(GraphExec exec, Stream stream) {
  return entry("cuGraphLaunch", Entry::needs_context, [&](State &s) {
    if (!s.execs.contains(exec))
      return violation("cuGraphLaunch", Result::invalid_value, "no such executable graph");
    return enqueue("cuGraphLaunch", s, stream, [nodes = s.execs[exec]->nodes] {
      for (const std::function<void()> &node : nodes)
        node();
    });
  });
}

Result cuGraphExecDestroy(GraphExec exec) {
  return entry("cuGraphExecDestroy", Entry::releases, [&](State &s) {
    return s.execs.erase(exec) != 0
               ? Result::success
               : violation("cuGraphExecDestroy", Result::invalid_value, "no such executable graph");
  });
}

Result cuGraphDestroy(Graph graph) {
  return entry("cuGraphDestroy", Entry::releases, [&](State &s) {
    return s.graphs.erase(graph) != 0 ? Result::success
                                      : violation("cuGraphDestroy", Result::invalid_value, "no such graph");
  });
}

} // namespace algrt::cuda
