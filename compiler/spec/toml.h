// toml++, with two faults of its version 3.3 mended. Asked whether most letters beyond ASCII are white space,
// it runs into __builtin_unreachable; "no" is the answer it means. And it assumes of hostile text what it
// checks only afterwards ("[" followed by a control character): the checks are there, so the assumptions can
// go.
#pragma once

// clang-format off
#include <toml++/impl/forward_declarations.h>
#undef TOML_ASSERT_ASSUME
#define TOML_ASSERT_ASSUME(...) static_assert(true)
#pragma push_macro("TOML_UNREACHABLE")
#undef TOML_UNREACHABLE
#define TOML_UNREACHABLE return false
#include <toml++/impl/unicode.h>
#pragma pop_macro("TOML_UNREACHABLE")
#include <toml++/toml.h>
// clang-format on
