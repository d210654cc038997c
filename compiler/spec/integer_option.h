// Whole numbers on the command line. CLI11 takes the nearest number that fits for one that does not.
#pragma once

namespace CLI {
class Option;
}

namespace compiler {

// Refuses, as wrong usage, everything but decimal integers that fit in 64 bits.
CLI::Option *wholeNumber(CLI::Option *option);

} // namespace compiler
