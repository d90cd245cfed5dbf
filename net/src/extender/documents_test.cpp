// What is kept of the documents in an extender's answers.
#include "net/src/extender/documents.hpp"

#include <doctest/doctest.h>

namespace libsched::documents_test {

std::string document(const std::string& name, size_t more = 0) {
  return R"({"metadata":{"name":")" + name + R"(","annotations":{"a":")" + std::string(more, 'x') +
         R"("}}})";
}

NodeReference node(const std::string& text) {
  libsched_parse_options options = LIBSCHED_PARSE_OPTIONS_INIT;
  options.keep_raw = true;
  libsched_node* made = nullptr;
  const std::string typed = R"({"kind":"Node","apiVersion":"v1",)" + text.substr(1);
  REQUIRE(libsched_node_parse({typed.data(), typed.size()}, &options, &made, nullptr) ==
          LIBSCHED_OK);
  return NodeReference(made);
}

TEST_CASE("the documents of nodes that were asked about are kept, and no others") {
  const NodeReference asked = node(document("n1")), other = node(document("n2"));
  NodeDocuments documents;
  std::string request;
  const libsched_node* const nodes[] = {asked.get()};
  REQUIRE(documents.append(nodes, 1, &request).ok());
  // Whether an answer about a node that repeats the one before is parsed anew.
  const auto parses_again = [&](const std::string& text, const libsched_node* about) {
    const auto first = documents.parse(text, about);
    REQUIRE(first.ok());
    documents.keep(about, text, first->get());
    const auto second = documents.parse(text, about);
    REQUIRE(second.ok());
    return first->get() != second->get();
  };
  CHECK_FALSE(parses_again(document("n1"), asked.get()));
  CHECK_FALSE(parses_again(document("n1", 1000), asked.get()));
  CHECK(parses_again(document("n2"), other.get()));
  CHECK(parses_again(document("n3"), nullptr));
  // The name of a node that was asked about is no way to fill the memory.
  CHECK(parses_again(document("n1", 100'000), asked.get()));
  // The last answer that was kept is there still.
  const std::string kept = document("n1", 1000);
  CHECK(documents.parse(kept, asked.get())->get() == documents.parse(kept, asked.get())->get());
}

TEST_CASE("the first name of a document is a guess") {
  CHECK(guessed_name(document("n1")) == "n1");
  CHECK(guessed_name("{}").empty());
  CHECK(guessed_name("{\"name\":").empty());
  CHECK(guessed_name("{\"name\":1}").empty());
  CHECK(guessed_name("{\"name\": \"a").empty() == false);
}

}  // namespace libsched::documents_test
