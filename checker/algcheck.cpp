// algcheck: what a certificate of algctl claims, established again from the certificate alone.
#include "checker/certificate.h"
#include <fstream>
#include <iostream>

int main(int count, char **arguments) {
  int code = 2; // 0: every claim is proved, 1: not readable, 2: called wrongly, 3: refused
  try {
    checker::require(count == 2, "usage: algcheck CERTIFICATE");
    code = 1;
    std::ifstream file(arguments[1], std::ios::binary);
    checker::require(file.is_open(), "cannot be read");
    const checker::Json certificate = checker::parseJson({std::istreambuf_iterator<char>(file), {}});
    code = 3;
    const checker::Json proved = checker::check(certificate);
    std::cout << arguments[1] << ": accepted\n" << proved.dump(2) << '\n';
    return 0;
  } catch (const std::exception &error) { // a claim that fails, or a part that is missing or of the wrong type
    std::cerr << (code == 2 ? "" : arguments[1] + std::string(code == 1 ? ": " : ": refused: " + checker::claim + ": "))
              << error.what() << '\n';
    return code;
  }
}
