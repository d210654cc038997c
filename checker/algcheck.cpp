// algcheck: what a certificate of algctl claims, established again from the certificate alone.
#include "checker/certificate.h"
#include <filesystem>
#include <fstream>
#include <iostream>
int main(int count, char **arguments) {
  int code = 2; // 0: every claim is proved, 1: not readable, or no place for the answer, 2: called wrongly, 3: refused
  std::string shown = count > 1 ? arguments[1] : ""; // a terminal obeys what is not plain text
  std::ranges::replace_if(shown, [](char c) { return c < ' ' || c > '~'; }, '?');
  try {
    checker::require(count == 2, "usage: algcheck CERTIFICATE");
    code = 1;
    const std::string path = arguments[1]; // "-", or a file: other pipes may have nobody who writes
    const std::string source = path == "-" ? "/dev/stdin" : path;
    std::ifstream file(path == "-" || std::filesystem::is_regular_file(path) ? source : "", std::ios::binary);
    checker::require(file.is_open(), "cannot be read");
    const checker::Json certificate = checker::parseJson({std::istreambuf_iterator<char>(file), {}});
    code = 3;
    checker::Json proved = checker::check(certificate);
    code = 1, proved["format"] = 1; // docs/json.md
    std::cout << shown << ": accepted\n" << proved.dump(2) << std::endl;
    checker::require(std::cout.good(), "accepted, but that cannot be written to standard output");
  } catch (const std::exception &error) { // a claim that fails, or a part that is missing or of the wrong type
    const std::string verdict = code == 1 ? ": " : ": refused: " + checker::claim + ": ";
    std::cerr << (code == 2 ? "" : shown + verdict) << error.what() << '\n';
    return code;
  }
}
