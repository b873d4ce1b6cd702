#include "store/store.h"

#include <set>
#include <stdexcept>
#include <thread>

#include "store/test_store.h"

namespace attrib::store {

TEST_CASE("what was posted is read again, in order of ids, also after closing") {
  const Folder folder;
  std::string id, all;
  {
    const auto store = opened(folder / "a.db");
    const Session made = good(create(*store, {"fleet", R"({"job":1})", R"({"who":"me"})", ""}));
    id = made.id;
    CHECK(id.size() == 32);
    CHECK(made.ruleset == "fleet");
    for (const char* content : {"one", "two", "", "three"})
      CHECK_FALSE(good(append(*store, id, content)).copy);
    const Session now = good(store->session(id));
    CHECK(now.header == R"({"job":1})");
    CHECK(now.metadata == R"({"who":"me"})");
    CHECK(now.posts == 4);
    CHECK(now.bytes == 11);
    CHECK(now.revision == 4);
    all = all_contents(*store, id);
  }
  const auto store = opened(folder / "a.db");
  CHECK(all_contents(*store, id) == all);
  CHECK(store->stats().sessions == 1);
  CHECK(store->stats().posts == 4);
  std::string last;
  for (const PostInfo& info : good(store->posts(id, "", 100))) {
    CHECK(info.id > last);
    last = info.id;
    CHECK(info.kind == "v2");
    CHECK(info.observations == 1);
  }
  CHECK(good(store->posts(id, "", 3)).size() == 3);
  CHECK(good(store->posts(id, last, 3)).empty());
}

TEST_CASE("the order of delivery does not matter to a reader") {
  const Folder folder;
  const auto store = opened(folder / "a.db");
  const std::string one = good(create(*store)).id;
  const std::string two = good(create(*store)).id;
  for (int at = 0; at < 50; ++at) {
    good(append(*store, one, std::to_string(at)));
    good(append(*store, two, std::to_string(49 - at)));
  }
  CHECK(all_contents(*store, one) == all_contents(*store, two));
}

TEST_CASE("a copy changes nothing, and its header is not merged again") {
  const Folder folder;
  const auto store = opened(folder / "a.db");
  const std::string id = good(create(*store)).id;
  int merged = 0;
  Post post = post_of(id, "the same");
  post.merge_header = [&](const std::string& old) -> Result<std::string> {
    ++merged;
    return old + "+";
  };
  const Posted first = good(append(*store, post));
  CHECK_FALSE(first.copy);
  const Posted second = good(append(*store, post));
  CHECK(second.copy);
  CHECK(second.revision == first.revision);
  CHECK(merged == 1);
  const Session now = good(store->session(id));
  CHECK(now.header == "{}+");
  CHECK(now.posts == 1);
  CHECK(now.bytes == 8);
  CHECK(store->stats().copies == 1);
  // The same content is another post of another kind, and in another session.
  Post other = post;
  other.kind = "loki";
  other.id = post_id("loki", other.content);
  CHECK_FALSE(good(append(*store, other)).copy);
  CHECK_FALSE(good(append(*store, good(create(*store)).id, "the same")).copy);
}

TEST_CASE("post ids are of content and kind") {
  CHECK(post_id("v2", "abc").size() == 32);
  CHECK(post_id("v2", "abc") == post_id("v2", "abc"));
  CHECK(post_id("v2", "abc") != post_id("v2", "abd"));
  CHECK(post_id("v2", "abc") != post_id("loki", "abc"));
}

TEST_CASE("a create with a known key gives the first session") {
  const Folder folder;
  std::string id;
  {
    const auto store = opened(folder / "a.db");
    id = good(create(*store, {"one", "{}", "{}", "key"})).id;
    CHECK(good(create(*store, {"two", "[]", "[]", "key"})).id == id);
    CHECK(good(create(*store, {"two", "[]", "[]", "other"})).id != id);
    CHECK(good(create(*store)).id != good(create(*store)).id);  // No key, no same session.
  }
  const auto store = opened(folder / "a.db");
  const Session again = good(create(*store, {"two", "[]", "[]", "key"}));
  CHECK(again.id == id);
  CHECK(again.ruleset == "one");
  CHECK(again.header == "{}");
  good(erase(*store, id));
  CHECK(good(create(*store, {"two", "[]", "[]", "key"})).id != id);
}

TEST_CASE(
    "a header that cannot be merged is a conflict and takes its post along, not its neighbours'") {
  const Folder folder;
  const auto store = opened(folder / "a.db");
  const std::string id = good(create(*store)).id;
  Post post = post_of(id, "refused");
  post.merge_header = [](const std::string&) -> Result<std::string> {
    return Error{"`nranks` differs"};
  };
  std::promise<void> gate;
  std::vector<std::future<Outcome<Posted>>> answers;
  std::vector<std::unique_ptr<std::promise<Outcome<Posted>>>> promises;
  // The writer is held by a callback, so that the three go into one transaction.
  store->expire(
      0, [opened = gate.get_future().share()](const Outcome<std::uint64_t>&) { opened.wait(); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  for (const Post& each : {post_of(id, "before"), post, post_of(id, "after")}) {
    promises.push_back(std::make_unique<std::promise<Outcome<Posted>>>());
    answers.push_back(promises.back()->get_future());
    store->append(each, [promise = promises.back().get()](Outcome<Posted> outcome) {
      promise->set_value(std::move(outcome));
    });
  }
  gate.set_value();
  CHECK(std::holds_alternative<Posted>(answers[0].get()));
  const Failure failure = bad(answers[1].get());
  CHECK(failure.kind == FailureKind::Conflict);
  CHECK(failure.message == "`nranks` differs");
  CHECK(std::holds_alternative<Posted>(answers[2].get()));
  CHECK(good(store->session(id)).posts == 2);
  CHECK(good(store->session(id)).header == "{}");
  CHECK(store->stats().posts == 2);
}

TEST_CASE("a change of the header counts as a revision only if it changes something") {
  const Folder folder;
  const auto store = opened(folder / "a.db");
  const std::string id = good(create(*store)).id;
  const auto change = [&](const std::string& to) {
    return waited<Session>([&](Then<Session> then) {
      store->change_header(
          id, [to](const std::string&) -> Result<std::string> { return to; }, std::move(then));
    });
  };
  CHECK(good(change("{}")).revision == 0);
  const Session changed = good(change("[1]"));
  CHECK(changed.revision == 1);
  CHECK(changed.header == "[1]");
  CHECK(good(store->session(id)).header == "[1]");
  const auto thrown = waited<Session>([&](Then<Session> then) {
    store->change_header(
        id, [](const std::string&) -> Result<std::string> { throw std::runtime_error("secret"); },
        std::move(then));
  });
  CHECK(bad(thrown).kind == FailureKind::Broken);
  CHECK(bad(thrown).message.find("secret") == std::string::npos);
}

TEST_CASE("an unknown session is not found, by whatever way") {
  const Folder folder;
  const auto store = opened(folder / "a.db");
  const std::string id(32, 'a');
  CHECK(bad(store->session(id)).kind == FailureKind::NotFound);
  CHECK(bad(store->posts(id, "", 1)).kind == FailureKind::NotFound);
  CHECK(bad(store->contents(id, [](const PostInfo&, const std::string&) {})).kind ==
        FailureKind::NotFound);
  CHECK(bad(append(*store, id, "x")).kind == FailureKind::NotFound);
  CHECK(bad(erase(*store, id)).kind == FailureKind::NotFound);
  const std::string gone = good(create(*store)).id;
  good(append(*store, gone, "x"));
  good(erase(*store, gone));
  CHECK(bad(store->session(gone)).kind == FailureKind::NotFound);
  CHECK(store->stats().sessions == 0);
  CHECK(store->stats().posts == 0);
}

TEST_CASE("sessions are listed in order of creation, a page at a time") {
  const Folder folder;
  const auto store = opened(folder / "a.db");
  std::vector<std::string> made;
  for (int at = 0; at < 7; ++at) made.push_back(good(create(*store)).id);
  good(erase(*store, made[6]));
  made[6] = good(create(*store)).id;  // Not in the place of the one before.
  std::vector<std::string> listed;
  for (std::uint64_t after = 0;;) {
    const auto page = good(store->sessions(after, 3));
    if (page.empty()) break;
    for (const Session& session : page) listed.push_back(session.id);
    after = page.back().number;
  }
  CHECK(listed == made);
}

TEST_CASE("a page goes on behind a session that was erased meanwhile") {
  const Folder folder;
  const auto store = opened(folder / "a.db");
  std::vector<Session> made;
  for (int at = 0; at < 4; ++at) made.push_back(good(create(*store)));
  const auto page = good(store->sessions(0, 2));
  REQUIRE(page.back().id == made[1].id);
  CHECK(page.back().number == made[1].number);
  good(erase(*store, made[1].id));
  const auto rest = good(store->sessions(page.back().number, 9));
  REQUIRE(rest.size() == 2);
  CHECK(rest.front().id == made[2].id);
}

TEST_CASE("a session's observations are those of all its posts") {
  const Folder folder;
  const auto store = opened(folder / "a.db");
  const std::string id = good(create(*store)).id;
  CHECK(good(store->observations(id)) == 0);
  std::uint64_t all = 0;
  for (const char* content : {"one", "two"}) {
    Post post = post_of(id, content);
    post.observations = 20 + all;
    all += post.observations;
    std::promise<Outcome<Posted>> done;
    store->append(post, [&](Outcome<Posted> outcome) { done.set_value(std::move(outcome)); });
    good(done.get_future().get());
  }
  CHECK(good(store->observations(id)) == all);
}

TEST_CASE("callbacks that throw or call the store do not stop the writer") {
  const Folder folder;
  const auto store = opened(folder / "a.db");
  store->create({"default", "{}", "{}", ""},
                [](const Outcome<Session>&) { throw std::runtime_error("no"); });
  store->create({"default", "{}", "{}", ""}, [](const Outcome<Session>&) { throw 1; });
  store->create({"default", "{}", "{}", ""}, {});
  std::promise<Outcome<Posted>> inner;
  store->create({"default", "{}", "{}", ""}, [&](Outcome<Session> session) {
    store->append(post_of(good(std::move(session)).id, "from within"),
                  [&](Outcome<Posted> outcome) { inner.set_value(std::move(outcome)); });
  });
  CHECK_FALSE(good(inner.get_future().get()).copy);
  CHECK(store->stats().sessions == 4);
}

TEST_CASE("closing writes what waits and calls all back") {
  const Folder folder;
  std::string id;
  std::set<std::string> acknowledged;
  {
    const auto store = opened(folder / "a.db");
    id = good(create(*store)).id;
    for (int at = 0; at < 500; ++at) {
      const Post post = post_of(id, std::to_string(at));
      store->append(post, [&acknowledged, name = post.id](const Outcome<Posted>& outcome) {
        if (std::holds_alternative<Posted>(outcome)) acknowledged.insert(name);
      });
    }
  }
  CHECK(acknowledged.size() == 500);
  CHECK(good(opened(folder / "a.db")->session(id)).posts == 500);
}

TEST_CASE("contents are those of one moment, whatever is appended while they are read") {
  const Folder folder;
  const auto store = opened(folder / "a.db");
  const std::string id = good(create(*store)).id;
  for (int at = 0; at < 40; ++at) good(append(*store, id, "old " + std::to_string(at)));
  int seen = 0;
  const Session as_of = good(store->contents(id, [&](const PostInfo&, const std::string& content) {
    CHECK(content.substr(0, 3) == "old");
    good(append(*store, id, "new " + std::to_string(seen++)));
  }));
  CHECK(seen == 40);
  CHECK(as_of.posts == 40);
  CHECK(as_of.revision == 40);
  CHECK(good(store->session(id)).posts == 80);
}

TEST_CASE("a session that is erased while its contents are read is not found") {
  const Folder folder;
  const auto store = opened(folder / "a.db");
  const std::string id = good(create(*store)).id;
  for (int at = 0; at < 3; ++at) good(append(*store, id, std::to_string(at)));
  int seen = 0;
  const auto read = store->contents(id, [&](const PostInfo&, const std::string&) {
    if (seen++ == 0) good(erase(*store, id));
  });
  CHECK(bad(read).kind == FailureKind::NotFound);
  CHECK(seen == 1);
}

TEST_CASE("many threads append to one session: each post counts once, in few commits") {
  const Folder folder;
  const auto store = opened(folder / "a.db");
  const std::string id = good(create(*store)).id;
  std::atomic<int> copies = 0, counted = 0;
  std::vector<std::thread> threads;
  std::promise<void> gate;
  store->expire(
      0, [opened = gate.get_future().share()](const Outcome<std::uint64_t>&) { opened.wait(); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      for (int at = 0; at < 250; ++at) {
        store->append(post_of(id, std::to_string(at)), [&](Outcome<Posted> outcome) {
          ++(good(std::move(outcome)).copy ? copies : counted);
        });
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const std::uint64_t before = store->stats().commits;
  gate.set_value();
  good(append(*store, id, "the last"));
  CHECK(counted == 250);
  CHECK(copies == 750);
  CHECK(good(store->session(id)).posts == 251);
  CHECK(store->stats().commits <= before + 2);
}

}  // namespace attrib::store
