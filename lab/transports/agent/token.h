#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace firstlight::agent {

inline constexpr std::size_t kShortestToken = 16;  // characters

/// The first line of the file. Throws FailureError (bench) when it cannot be read, is open to others than its owner,
/// or holds less than kShortestToken characters. No message holds the token.
std::string token_from_file(const std::string& path);
/// The environment variable's value. Throws FailureError (bench) when it is not set or too short.
std::string token_from_environment(const std::string& variable);
/// A fresh one of 256 random bits, in a new file of mode 0600; one that is there is replaced. Throws FailureError
/// (infrastructure).
std::string make_token_file(const std::string& path);
/// Takes the same time wherever they differ.
bool same_token(std::string_view one, std::string_view other);

}  // namespace firstlight::agent
