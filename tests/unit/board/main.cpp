#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/unit/board/table.h"

namespace tb::board::testing {
namespace {
// SystemC modules cannot be made once time has begun, so all the boards that the tests may want are made before.
constexpr std::size_t kBoards = 90;
std::vector<std::unique_ptr<Board>>& boards() {
  static std::vector<std::unique_ptr<Board>> all;
  return all;
}
}  // namespace

instruments::Agenda& agenda() {
  static instruments::Agenda shared("shared");
  return shared;
}

std::unique_ptr<Board> take_board(std::uint64_t seed) {
  for (auto& board : boards())
    if (board != nullptr && board->parameters().seed == seed) return std::move(board);
  throw std::logic_error("make more boards in main.cpp");
}
}  // namespace tb::board::testing

int sc_main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  using namespace tb::board;
  tb::board::testing::agenda();
  auto& all = tb::board::testing::boards();
  for (std::size_t i = 0; i < tb::board::testing::kBoards; ++i)
    all.push_back(std::make_unique<Board>(("board" + std::to_string(i)).c_str(),
                                          BoardParameters{i < tb::board::testing::kBoards - 2 ? 1U : 2U, 5000}));
  const int result = RUN_ALL_TESTS();
  all.clear();
  return result;
}
