#include "lab/core/quantity.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <locale>
#include <random>

namespace firstlight {
namespace {

std::vector<Dimension> all_dimensions() {
  std::vector<Dimension> out;
  for (int d = 0; d <= static_cast<int>(Dimension::pressure); ++d) out.push_back(static_cast<Dimension>(d));
  return out;
}

double base(std::string_view text, Dimension dimension) {
  const auto quantity = parse_quantity(text, dimension);
  EXPECT_TRUE(quantity) << text;
  return quantity ? quantity->value : std::nan("");
}

QuantityError error_of(std::string_view text, Dimension dimension) {
  QuantityError error;
  EXPECT_FALSE(parse_quantity(text, dimension, &error)) << text;
  return error;
}

TEST(ParseQuantity, ScalesToTheBaseUnit) {
  EXPECT_DOUBLE_EQ(base("850 mV", Dimension::voltage), 0.85);
  EXPECT_DOUBLE_EQ(base("850mV", Dimension::voltage), 0.85);
  EXPECT_DOUBLE_EQ(base("  +1.5e3 uV ", Dimension::voltage), 1.5e-3);
  EXPECT_DOUBLE_EQ(base("-40 degC", Dimension::temperature), -40);
  EXPECT_DOUBLE_EQ(base("3 %", Dimension::ratio), 0.03);
  EXPECT_DOUBLE_EQ(base("300 ppm", Dimension::ratio), 3e-4);
  EXPECT_DOUBLE_EQ(base("64 KiB", Dimension::data), 65536);
  EXPECT_DOUBLE_EQ(base("5 mV/us", Dimension::voltage_slew), 5000);
  EXPECT_DOUBLE_EQ(base("2 min", Dimension::time), 120);
  EXPECT_DOUBLE_EQ(base("1.2 bar", Dimension::pressure), 1.2e5);
}

TEST(ParseQuantity, TakesPlainNumbersOnlyWhereTheyArePlain) {
  EXPECT_DOUBLE_EQ(base("0x10", Dimension::none), 16);
  EXPECT_DOUBLE_EQ(base("1e-9", Dimension::bit_error_ratio), 1e-9);
  EXPECT_EQ(error_of("850", Dimension::voltage).kind, QuantityError::Kind::missing_unit);
  EXPECT_EQ(error_of("850", Dimension::voltage).suggestion, "850 mV");
  EXPECT_EQ(error_of("0.85", Dimension::voltage).suggestion, "0.85 V");
  EXPECT_EQ(error_of("12", Dimension::voltage).suggestion, "") << "of a supply, or of a ripple";
  EXPECT_EQ(error_of("4096", Dimension::data).suggestion, "4096 B");
  EXPECT_EQ(error_of("3 mV", Dimension::none).kind, QuantityError::Kind::wrong_dimension);
}

TEST(ParseQuantity, TellsWhatIsWrong) {
  EXPECT_EQ(error_of("850 mw", Dimension::voltage).kind, QuantityError::Kind::unknown_unit);
  EXPECT_EQ(error_of("850 mw", Dimension::voltage).suggestion, "850 mV");
  EXPECT_EQ(error_of("850 mA", Dimension::voltage).kind, QuantityError::Kind::wrong_dimension);
  EXPECT_EQ(error_of("850 mA", Dimension::voltage).suggestion, "850 mV");
  EXPECT_EQ(error_of("60 W", Dimension::current).suggestion, "") << "one letter for another is no slip";
  for (const char* text : {"", " ", "mV", "nan", "inf", "infinity V", "--1 V", "0x", "0xg", "1,5 V", "V 1"})
    EXPECT_FALSE(parse_quantity(text, Dimension::voltage)) << text;
}

TEST(ParseQuantity, RefusesWhatADoubleCannotHold) {
  EXPECT_EQ(error_of("1e999 V", Dimension::voltage).kind, QuantityError::Kind::out_of_range);
  EXPECT_EQ(error_of("1e308 kV", Dimension::voltage).kind, QuantityError::Kind::out_of_range);
  QuantityError error;
  EXPECT_FALSE(parse_any_quantity("1e308 GHz", &error));
  EXPECT_EQ(error.kind, QuantityError::Kind::out_of_range);
}

TEST(ParseQuantity, TakesEveryUnitThatItLists) {
  for (const Dimension dimension : all_dimensions())
    for (const std::string_view unit : units_of(dimension)) {
      const auto quantity = parse_any_quantity(fmt::format("1 {}", unit));
      ASSERT_TRUE(quantity) << unit;
      EXPECT_EQ(quantity->dimension, dimension) << unit;
    }
}

TEST(ToText, PicksThePrefixThatReadsWell) {
  EXPECT_EQ(to_text(Voltage(0.85)), "850 mV");
  EXPECT_EQ(to_text(Voltage(0.99999)), "1 V");
  EXPECT_EQ(to_text(Voltage(0)), "0 V");
  EXPECT_EQ(to_text(Voltage(-0.0125)), "-12.5 mV");
  EXPECT_EQ(to_text(Ratio(0.032)), "3.2 %");
  EXPECT_EQ(to_text(Quantity{1e-9, Dimension::bit_error_ratio}), "1e-09");
}

// What is printed reads back as the same value, to the digits that were printed. FIRSTLIGHT_SEED repeats a run.
TEST(ToText, ReadsBackInEveryDimension) {
  const char* fixed = std::getenv("FIRSTLIGHT_SEED");
  const std::uint64_t seed = fixed != nullptr ? std::strtoull(fixed, nullptr, 0) : std::random_device{}();
  std::cout << "FIRSTLIGHT_SEED=" << seed << std::endl;
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> exponent(-13, 12);
  std::uniform_real_distribution<double> mantissa(-10, 10);
  for (const Dimension dimension : all_dimensions()) {
    for (int i = 0; i < 2000; ++i) {
      const double value = mantissa(random) * std::pow(10, exponent(random));
      const std::string text = to_text(Quantity{value, dimension}, 12);
      QuantityError error;
      const auto back = parse_quantity(text, dimension, &error);
      ASSERT_TRUE(back) << text << ": " << error.message;
      ASSERT_NEAR(back->value, value, std::abs(value) * 1e-11) << text;
    }
  }
}

class CommaPunctuation : public std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

/// A German desk for the length of a test: the C++ locale always, the C locale where it is installed.
class GermanLocale {
 public:
  GermanLocale() : before_(std::locale::global(std::locale(std::locale(), new CommaPunctuation))) {  // NOLINT: owned
    for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "de_DE"})
      if (std::setlocale(LC_ALL, name) != nullptr) break;
  }
  GermanLocale(const GermanLocale&) = delete;
  GermanLocale& operator=(const GermanLocale&) = delete;
  ~GermanLocale() {
    std::locale::global(before_);
    std::setlocale(LC_ALL, "C");
  }

 private:
  std::locale before_;
};

TEST(Locale, ChangesNothing) {
  const GermanLocale german;
  EXPECT_DOUBLE_EQ(base("1.5 V", Dimension::voltage), 1.5);
  EXPECT_FALSE(parse_quantity("1,5 V", Dimension::voltage));
  EXPECT_EQ(to_text(Voltage(1.5)), "1.5 V");
  EXPECT_EQ(to_text(Quantity{12345.5, Dimension::none}), "12345.5");
}

TEST(Physical, RefusesAnotherDimension) {
  EXPECT_THROW(Voltage(Quantity{1, Dimension::current}), std::invalid_argument);
  EXPECT_EQ(Voltage(2) * Current(3), Power(6));
}

}  // namespace
}  // namespace firstlight
