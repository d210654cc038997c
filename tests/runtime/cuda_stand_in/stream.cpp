// Streams, events, captures and graphs.
#include "tests/runtime/cuda_stand_in/capture.h"

#include <utility>

namespace algrt::cuda_stand_in {

Result requireNoCapture(const char *symbol, State &s) {
  for (auto &[handle, stream] : s.streams) {
    if (!stream->capture || stream->mode == CaptureMode::Relaxed ||
        threadCaptureMode() == CaptureMode::Relaxed)
      continue;
    const bool mine = stream->thread == std::this_thread::get_id();
    const bool concerned =
        mine || (stream->mode == CaptureMode::Global && threadCaptureMode() == CaptureMode::Global);
    if (!concerned)
      continue;
    stream->invalidated = true;
    return violation(symbol, Result::StreamCaptureUnsupported, "while a stream is being captured");
  }
  return Result::Success;
}

namespace {

// Work in the legacy default stream waits for every blocking stream, which a captured one cannot be waited
// for.
Result requireNoImplicitCapture(const char *symbol, State &s, bool invalidates = true) {
  for (auto &[handle, stream] : s.streams)
    if (stream->capture && stream->blocking && stream->context == currentContext()) {
      stream->invalidated |= invalidates;
      return violation(symbol, Result::StreamCaptureImplicit,
                       "the legacy default stream while a blocking stream is being captured");
    }
  return Result::Success;
}

StreamObject *liveStream(State &s, Stream stream) {
  const auto found = s.streams.find(stream);
  return found == s.streams.end() ? nullptr : found->second.get();
}

} // namespace

Result enqueue(const char *symbol, State &s, Stream handle, std::function<void()> run) {
  if (handle == nullptr) {
    if (const Result result = requireNoImplicitCapture(symbol, s); result != Result::Success)
      return result;
    s.finishCopies();
    run();
    return Result::Success;
  }
  StreamObject *stream = liveStream(s, handle);
  if (stream == nullptr)
    return violation(symbol, Result::InvalidHandle, "no such stream");
  if (stream->context != currentContext())
    return violation(symbol, Result::InvalidHandle, "the stream belongs to another context");
  if (stream->invalidated)
    return violation(symbol, Result::StreamCaptureInvalidated, "the capture has been invalidated");
  if (stream->capture) {
    stream->capture->nodes.push_back(std::move(run));
    return Result::Success;
  }
  if (stream->blocking)
    s.finishCopies();
  run();
  return Result::Success;
}

} // namespace algrt::cuda_stand_in

namespace algrt::cuda {

using namespace cuda_stand_in;

Result cuStreamCreate(Stream *stream, unsigned int flags) {
  return entry("cuStreamCreate", Entry::NeedsContext, [&](State &s) {
    if (flags > stream_non_blocking)
      return violation("cuStreamCreate", Result::InvalidValue, "flags that are not known");
    auto object = std::make_unique<StreamObject>();
    object->context = currentContext();
    object->blocking = flags == stream_default;
    *stream = object.get();
    s.streams[*stream] = std::move(object);
    return Result::Success;
  });
}

Result cuStreamDestroy_v2(Stream stream) {
  return entry("cuStreamDestroy_v2", Entry::Releases, [&](State &s) {
    return s.streams.erase(stream) != 0
               ? Result::Success
               : violation("cuStreamDestroy_v2", Result::InvalidHandle, "no such stream");
  });
}

Result cuStreamSynchronize(Stream handle) {
  return entry("cuStreamSynchronize", Entry::NeedsContext, [&](State &s) {
    if (handle == nullptr) {
      const Result result = requireNoImplicitCapture("cuStreamSynchronize", s);
      if (result == Result::Success)
        s.finishCopies();
      return result;
    }
    StreamObject *stream = liveStream(s, handle);
    if (stream == nullptr)
      return violation("cuStreamSynchronize", Result::InvalidHandle, "no such stream");
    if (stream->capture) {
      stream->invalidated = true;
      return violation("cuStreamSynchronize", Result::StreamCaptureUnsupported, "of a captured stream");
    }
    return Result::Success;
  });
}

Result cuStreamWaitEvent(Stream stream, Event event, unsigned int flags) {
  return entry("cuStreamWaitEvent", Entry::NeedsContext, [&](State &s) {
    if (!s.events.contains(event) || (stream != nullptr && liveStream(s, stream) == nullptr) || flags > 1)
      return violation("cuStreamWaitEvent", Result::InvalidHandle, "no such stream or event");
    return Result::Success;
  });
}

Result cuStreamBeginCapture_v2(Stream handle, CaptureMode mode) {
  return entry("cuStreamBeginCapture_v2", Entry::NeedsContext, [&](State &s) {
    StreamObject *stream = liveStream(s, handle);
    if (stream == nullptr)
      return violation("cuStreamBeginCapture_v2", Result::StreamCaptureUnsupported,
                       "the legacy default stream cannot be captured, nor one that does not exist");
    if (stream->capture)
      return violation("cuStreamBeginCapture_v2", Result::InvalidValue, "it is being captured");
    stream->capture = std::make_unique<GraphObject>();
    stream->mode = mode;
    stream->invalidated = false;
    stream->thread = std::this_thread::get_id();
    return Result::Success;
  });
}

Result cuStreamEndCapture(Stream handle, Graph *graph) {
  return entry("cuStreamEndCapture", Entry::NeedsContext, [&](State &s) {
    *graph = nullptr;
    StreamObject *stream = liveStream(s, handle);
    if (stream == nullptr || !stream->capture)
      return violation("cuStreamEndCapture", Result::StreamCaptureUnmatched, "it is not being captured");
    std::unique_ptr<GraphObject> captured = std::move(stream->capture);
    if (std::exchange(stream->invalidated, false))
      return Result::StreamCaptureInvalidated;
    *graph = captured.get();
    s.graphs[*graph] = std::move(captured);
    return Result::Success;
  });
}

Result cuStreamIsCapturing(Stream handle, CaptureStatus *status) {
  return entry("cuStreamIsCapturing", Entry::NeedsContext, [&](State &s) {
    *status = CaptureStatus::None;
    if (handle == nullptr)
      return requireNoImplicitCapture("cuStreamIsCapturing", s, /*invalidates=*/false);
    StreamObject *stream = liveStream(s, handle);
    if (stream == nullptr)
      return violation("cuStreamIsCapturing", Result::InvalidHandle, "no such stream");
    if (stream->capture)
      *status = stream->invalidated ? CaptureStatus::Invalidated : CaptureStatus::Active;
    return Result::Success;
  });
}

Result cuThreadExchangeStreamCaptureMode(CaptureMode *mode) {
  return entry("cuThreadExchangeStreamCaptureMode", Entry::Initialised, [&](State &) {
    std::swap(*mode, threadCaptureMode());
    return Result::Success;
  });
}

Result cuEventCreate(Event *event, unsigned int flags) {
  return entry("cuEventCreate", Entry::NeedsContext, [&](State &s) {
    auto object = std::make_unique<EventObject>();
    object->context = currentContext();
    object->timed = (flags & event_disable_timing) == 0;
    *event = object.get();
    s.events[*event] = std::move(object);
    return Result::Success;
  });
}

Result cuEventDestroy_v2(Event event) {
  return entry("cuEventDestroy_v2", Entry::Releases, [&](State &s) {
    return s.events.erase(event) != 0
               ? Result::Success
               : violation("cuEventDestroy_v2", Result::InvalidHandle, "no such event");
  });
}

Result cuEventRecord(Event event, Stream stream) {
  return entry("cuEventRecord", Entry::NeedsContext, [&](State &s) {
    if (!s.events.contains(event))
      return violation("cuEventRecord", Result::InvalidHandle, "no such event");
    return enqueue("cuEventRecord", s, stream, [&s, event] {
      if (s.events.contains(event))
        s.events[event]->milliseconds = s.milliseconds;
    });
  });
}

Result cuEventSynchronize(Event event) {
  return entry("cuEventSynchronize", Entry::NeedsContext, [&](State &s) {
    return s.events.contains(event) ? Result::Success
                                    : violation("cuEventSynchronize", Result::InvalidHandle, "no such event");
  });
}

Result cuEventQuery(Event event) {
  return entry("cuEventQuery", Entry::NeedsContext, [&](State &s) {
    if (!s.events.contains(event))
      return violation("cuEventQuery", Result::InvalidHandle, "no such event");
    return requireNoCapture("cuEventQuery", s);
  });
}

Result cuEventElapsedTime(float *milliseconds, Event start, Event end) {
  return entry("cuEventElapsedTime", Entry::NeedsContext, [&](State &s) {
    for (Event event : {start, end})
      if (!s.events.contains(event) || !s.events[event]->timed || !s.events[event]->milliseconds)
        return violation("cuEventElapsedTime", Result::InvalidHandle,
                         "an event that does not exist, keeps no time or was not recorded");
    *milliseconds = float(*s.events[end]->milliseconds - *s.events[start]->milliseconds);
    return Result::Success;
  });
}

Result cuGraphInstantiateWithFlags(GraphExec *exec, Graph graph, unsigned long long flags) {
  return entry("cuGraphInstantiateWithFlags", Entry::NeedsContext, [&](State &s) {
    if (!s.graphs.contains(graph) || flags != 0)
      return violation("cuGraphInstantiateWithFlags", Result::InvalidValue, "no such graph, or flags");
    auto object = std::make_unique<GraphExecObject>();
    object->nodes = s.graphs[graph]->nodes;
    *exec = object.get();
    s.execs[*exec] = std::move(object);
    return Result::Success;
  });
}

Result cuGraphLaunch(GraphExec exec, Stream stream) {
  return entry("cuGraphLaunch", Entry::NeedsContext, [&](State &s) {
    if (!s.execs.contains(exec))
      return violation("cuGraphLaunch", Result::InvalidValue, "no such executable graph");
    return enqueue("cuGraphLaunch", s, stream, [nodes = s.execs[exec]->nodes] {
      for (const std::function<void()> &node : nodes)
        node();
    });
  });
}

Result cuGraphExecDestroy(GraphExec exec) {
  return entry("cuGraphExecDestroy", Entry::Releases, [&](State &s) {
    return s.execs.erase(exec) != 0
               ? Result::Success
               : violation("cuGraphExecDestroy", Result::InvalidValue, "no such executable graph");
  });
}

Result cuGraphDestroy(Graph graph) {
  return entry("cuGraphDestroy", Entry::Releases, [&](State &s) {
    return s.graphs.erase(graph) != 0 ? Result::Success
                                      : violation("cuGraphDestroy", Result::InvalidValue, "no such graph");
  });
}

} // namespace algrt::cuda
