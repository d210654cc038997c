// algcheck: what a certificate of algctl claims, established again from the certificate alone.
#include "checker/certificate.h"

#include <fstream>
#include <iostream>
#include <iterator>

int main(int count, char **arguments) {
  std::ifstream file(count == 2 ? arguments[1] : "", std::ios::binary);
  if (count != 2) {
    std::cerr << "usage: algcheck CERTIFICATE\nExit code 0: every claim is proved; 3: refused; 1: not readable.\n";
    return 2;
  }
  try {
    std::string text{std::istreambuf_iterator<char>(file), {}};
    if (!file) throw std::runtime_error("cannot be read");
    const checker::Json certificate = checker::parseJson(text);
    try {
      const checker::Json proved = checker::check(certificate);
      std::cout << arguments[1] << ": accepted\n" << proved.dump(2) << '\n';
      return 0;
    } catch (const checker::Refusal &refusal) {
      std::cerr << arguments[1] << ": refused: " << checker::claim << ": " << refusal.what() << '\n';
    } catch (const checker::Json::exception &error) { // a part is missing, or of the wrong type
      std::cerr << arguments[1] << ": refused: " << checker::claim << ": " << error.what() << '\n';
    } catch (const std::out_of_range &) {
      std::cerr << arguments[1] << ": refused: " << checker::claim << ": a part is missing\n";
    }
    return 3;
  } catch (const std::exception &error) {
    std::cerr << arguments[1] << ": " << error.what() << '\n';
    return 1;
  }
}
