// algcheck: what a certificate of algctl claims, established again from the certificate alone.
#include "checker/certificate.h"

#include <fstream>
#include <iostream>
#include <iterator>

int main(int count, char **arguments) {
  if (count != 2) {
    std::cerr << "usage: algcheck CERTIFICATE\nExit code 0: every claim is proved; 3: refused; 1: not readable.\n";
    return 2;
  }
  checker::Json certificate;
  try {
    std::ifstream file(arguments[1], std::ios::binary);
    certificate = checker::parseJson({std::istreambuf_iterator<char>(file), {}});
  } catch (const std::exception &error) {
    std::cerr << arguments[1] << ": " << error.what() << '\n';
    return 1;
  }
  try {
    const checker::Json proved = checker::check(certificate);
    std::cout << arguments[1] << ": accepted\n" << proved.dump(2) << '\n';
    return 0;
  } catch (const std::exception &error) { // a claim that fails, or a part that is missing or of the wrong type
    std::cerr << arguments[1] << ": refused: " << checker::claim << ": " << error.what() << '\n';
    return 3;
  }
}
