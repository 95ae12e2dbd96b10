#include "lab/document/builder.h"

#include <fmt/format.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>
#include <yaml-cpp/yaml.h>

#include <array>
#include <map>
#include <sstream>
#include <utility>
#include <vector>

#include "lab/document/document.h"

namespace firstlight {
namespace {

/// Ends the reading of a document that is broken beyond use; carries the one diagnostic that says why.
struct Refused {
  Diagnostic diagnostic;
};

struct Hint {
  std::string_view message;  // a part of what the YAML library says
  std::string_view meaning;  // what it mostly means
};
constexpr std::array kHints = {
    Hint{"end of map not found", "this line does not line up with the ones before it: check the indentation"},
    Hint{"end of sequence not found", "this line does not line up with the list before it: check the indentation"},
    Hint{"end of map flow not found", "a `{` or a quote is not closed, or a `,` is missing"},
    Hint{"end of sequence flow not found", "a `[` or a quote is not closed, or a `,` is missing"},
    Hint{"illegal map value", "a `:` where no value can begin: quote the text, or check the indentation"},
    Hint{"illegal map key", "a `?` or a key where none can begin: quote the text, or check the indentation"},
    Hint{"illegal block entry", "a `-` where no list entry can begin: check the indentation"},
    Hint{"illegal flow end", "a `}` or `]` that closes nothing"},
    Hint{"illegal EOF in scalar", "a quote is not closed"},
    Hint{"illegal document indicator in scalar", "a quote is not closed before the end of the document"},
    Hint{"unknown escape character",
         "a backslash in double quotes must be a known escape: write `\\\\`, or use single quotes"},
    Hint{"unknown token", "a character that begins nothing in YAML here: quote the text"},
    Hint{"the referenced anchor is not defined", "an alias (`*name`) needs an anchor (`&name`) before it"},
};

class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(std::string file, Diagnostics& diagnostics) : file_(std::move(file)), diagnostics_(diagnostics) {}

  Node take() { return std::move(root_); }

  SourceLocation place(const YAML::Mark& mark) const {
    return mark.is_null() ? SourceLocation{file_, 0, 0} : SourceLocation{file_, mark.line + 1, mark.column + 1};
  }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Node node;
    node.where = place(mark);
    // The library marks an empty value where the next token stands: the key is the place that people look at.
    if (!open_.empty() && open_.back().pending) node.where = open_.back().pending_where;
    finish(std::move(node), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) refuse(mark, "this alias stands inside of the node that it names");
    count(found->second.size, mark);
    if (depth() + found->second.height > kMaxDocumentDepth) refuse_depth(mark);
    place_node(Node(found->second.node));
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    check_tag(mark, tag);
    Node node = Node::scalar(value, place(mark));
    node.quoted = tag == "!";
    finish(std::move(node), anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, Node::Kind::list);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, Node::Kind::map);
  }
  void OnMapEnd() override { close(); }

 private:
  /// A list or map that is still growing.
  struct Open {
    Node node;
    YAML::anchor_t anchor = YAML::NullAnchor;
    bool pending = false;  // of a map: the key is read, its value is not
    bool dropped = false;  // the key cannot be used, so the value is not kept
    std::string pending_key;
    SourceLocation pending_where;
  };
  struct Anchored {
    Node node;
    std::size_t size = 0;
    int height = 0;
  };

  [[noreturn]] void refuse(const YAML::Mark& mark, std::string message) const {
    throw Refused{{place(mark), std::move(message), {}, {}}};
  }
  [[noreturn]] void refuse_depth(const YAML::Mark& mark) const {
    refuse(mark, fmt::format("nested more than {} levels deep", kMaxDocumentDepth));
  }
  int depth() const { return static_cast<int>(open_.size()); }

  void count(std::size_t nodes, const YAML::Mark& mark) {
    nodes_ += nodes;
    if (nodes_ > kMaxDocumentNodes)
      refuse(mark, fmt::format("more than {} nodes; aliases count by what they stand for", kMaxDocumentNodes));
  }

  void check_tag(const YAML::Mark& mark, const std::string& tag) {
    if (tag.empty() || tag == "?" || tag == "!") return;
    diagnostics_.add(place(mark), fmt::format("the tag `{}` has no meaning here; write the value without it", tag));
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, Node::Kind kind) {
    check_tag(mark, tag);
    count(1, mark);
    if (depth() >= kMaxDocumentDepth) refuse_depth(mark);
    Open next;
    next.node.kind = kind;
    next.node.where = place(mark);
    next.anchor = anchor;
    open_.push_back(std::move(next));
  }

  void close() {
    Open closed = std::move(open_.back());
    open_.pop_back();
    remember(closed.anchor, closed.node);
    place_node(std::move(closed.node));
  }

  void finish(Node node, YAML::anchor_t anchor) {
    count(1, YAML::Mark::null_mark());
    remember(anchor, node);
    place_node(std::move(node));
  }

  static std::pair<std::size_t, int> measure(const Node& node) {
    std::size_t size = 1;
    int height = 0;
    const auto add = [&](const Node& child) {
      const auto [child_size, child_height] = measure(child);
      size += child_size;
      height = std::max(height, child_height);
    };
    for (const Node& item : node.items) add(item);
    for (const Entry& entry : node.entries) add(entry.value);
    return {size, height + 1};
  }

  void remember(YAML::anchor_t anchor, const Node& node) {
    if (anchor == YAML::NullAnchor) return;
    const auto [size, height] = measure(node);
    count(size, YAML::Mark::null_mark());  // the copy that is kept counts too
    anchors_[anchor] = {node, size, height};
  }

  void place_node(Node node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = open_.back();
    if (parent.node.is_list()) {
      parent.node.items.push_back(std::move(node));
    } else if (parent.pending) {
      parent.pending = false;
      if (!parent.dropped)
        parent.node.entries.push_back({std::move(parent.pending_key), parent.pending_where, std::move(node)});
    } else {
      take_key(parent, node);
    }
  }

  void take_key(Open& parent, const Node& key) {
    parent.pending = true;
    parent.pending_where = key.where;
    parent.pending_key = key.text;
    const Entry* first = key.is_scalar() ? parent.node.find(key.text) : nullptr;
    parent.dropped = !key.is_scalar() || first != nullptr;
    if (!key.is_scalar()) diagnostics_.add(key.where, fmt::format("a key must be a word, found {}", describe(key)));
    if (first != nullptr)
      diagnostics_.add(key.where,
                       fmt::format("the key `{}` stands here twice; first on line {}", key.text, first->where.line));
  }

  std::string file_;
  Diagnostics& diagnostics_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Anchored> anchors_;
  std::size_t nodes_ = 0;
  Node root_;
};

std::string explain(const std::string& message) {
  for (const Hint& hint : kHints)
    if (message.find(hint.message) != std::string::npos) return fmt::format("not valid YAML: {}", hint.meaning);
  return fmt::format("not valid YAML: {}", message);
}

/// Where the second document of the stream begins, if there is one.
class SecondDocument : public TreeBuilder {
 public:
  using TreeBuilder::TreeBuilder;
  void OnDocumentStart(const YAML::Mark& mark) override {
    throw Refused{{place(mark), "a second document begins here; one file holds one", {}, {}}};
  }
};

}  // namespace

std::optional<Node> build_tree(const std::string& file, const std::string& text, Diagnostics& diagnostics) {
  TreeBuilder builder(file, diagnostics);
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder)) return Node{};
    SecondDocument second(file, diagnostics);
    parser.HandleNextDocument(second);
    return builder.take();
  } catch (const Refused& refused) {
    diagnostics.add(refused.diagnostic);
  } catch (const YAML::DeepRecursion& deep) {
    diagnostics.add(builder.place(deep.mark), fmt::format("nested more than {} levels deep", kMaxDocumentDepth));
  } catch (const YAML::Exception& error) {
    diagnostics.add(builder.place(error.mark), explain(error.msg));
  }
  return std::nullopt;
}

}  // namespace firstlight
