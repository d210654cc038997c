// The standard streams of a tool, in whatever state it was started with: closed, full, a pipe without a
// reader.
#pragma once

#include <string_view>

namespace algrt {

// Opens something in the place of each of stdin, stdout and stderr that is closed: else the next file that is
// opened would get its number, and messages would be written into it. What stands in for stdin cannot be read
// and what stands in for stdout cannot be written, so that both are errors still. To be called first in main.
void openStandardStreams();

// Writes to stderr what is meant for people, as printable() has it. That nobody can read it changes nothing
// about what is said: failures are ignored, and nothing is thrown.
void writeDiagnostic(std::string_view text) noexcept;

// Appends to stdout, through the buffer of stdio. Both throw Error(ALGRT_IO_ERROR) with the system's reason;
// the second writes what is left in the buffer, and belongs at the end of a tool.
void writeStandardOutput(std::string_view bytes);
void flushStandardOutput();

// For what no catch block sees: an exception in a thread, or one that leaves a function that may not throw.
// Then the program ends with one sentence that begins with `program`, which has to stay, and with code
// `failed` where memory or threads ran out, `bug` otherwise, after `clean_up` has run.
void installTerminateHandler(const char *program, int failed, int bug, void (*clean_up)() noexcept);

// End the program at once, as that handler does, for libraries that would abort. They allocate nothing.
[[noreturn]] void endOutOfMemory() noexcept;
[[noreturn]] void endOutOfThreads(const char *reason) noexcept;
[[noreturn]] void endAsBug(const char *reason) noexcept;

} // namespace algrt
