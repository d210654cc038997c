// A JSON text from other hands, looked at token by token before any of it is stored: what is accepted here
// can be parsed, copied, printed and destroyed, all of which the library does by recursion.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace algrt {

class JsonScan : public nlohmann::json_sax<nlohmann::json> {
public:
  // Objects and lists within one another, at most.
  explicit JsonScan(size_t deepest) : deepest_(deepest) {}

  // What is wrong with the text: "is not JSON: see byte 12 of it", or one about its encoding, a number that
  // no type holds, or its nesting. Empty where nothing is. The text itself is not repeated: it may be long,
  // and not fit for a terminal.
  std::string fault(std::string_view text);

protected:
  // Of objects and lists around the token: 0 for that of the document itself.
  size_t depth() const { return depth_; }

  // For checks of one's own, which throw.
  virtual void foundObject() {}
  virtual void foundList() {}
  virtual void foundScalar() {}
  virtual void foundKey(const std::string &) {}

private:
  bool null() override { return found(); }
  bool boolean(bool) override { return found(); }
  bool number_integer(int64_t) override { return found(); }
  bool number_unsigned(uint64_t) override { return found(); }
  bool number_float(double, const std::string &) override { return found(); }
  bool string(std::string &) override { return found(); }
  bool binary(nlohmann::json::binary_t &) override { return found(); }
  bool start_object(size_t) override;
  bool start_array(size_t) override;
  bool end_object() override;
  bool end_array() override;
  bool key(std::string &name) override;
  bool parse_error(size_t byte, const std::string &token, const nlohmann::json::exception &error) override;

  bool found();
  bool enter();

  size_t deepest_, depth_ = 0;
  std::string fault_;
};

} // namespace algrt
