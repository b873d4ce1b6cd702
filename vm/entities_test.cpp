#include <doctest/doctest.h>

#include <memory>

#include "vm/entity_sets.h"

namespace attrib::vm {
namespace {

using model::EntityKind;
using model::LearnKind;
using model::SetKind;
using model::Truth;

struct Site {
  evidence::Evidence evidence;
  EntityTable entities;
  Topology topology{evidence, entities};
  std::unique_ptr<EntitySets> sets;

  EntityId node(const std::string& name) { return entities.node(name); }
  EntityId gpu(const std::string& pci, const std::string& on) {
    return entities.from_text(EntityKind::Gpu, pci, node(on), 1);
  }
  void place(std::uint32_t rank, const std::string& on, const std::string& pci = "") {
    topology.learn(
        {LearnKind::Place, "", rank, node(on), pci.empty() ? EntityId::None : gpu(pci, on)});
  }
  void member(std::uint32_t rank, const std::string& comm) {
    topology.learn(
        {LearnKind::Member, "", rank, entities.intern(EntityKind::Communicator, comm), {}});
  }
  void alias(const std::string& name, EntityId of) {
    topology.learn({LearnKind::Alias, name, 0, of, EntityId::None});
  }
  void world(std::uint32_t n) { topology.learn({LearnKind::World, "", n, EntityId::None, {}}); }
  void resolve() {
    topology.resolve();
    sets = std::make_unique<EntitySets>(entities, topology);
  }
  Truth in(std::uint32_t rank, SetKind kind, EntityId of) {
    return sets->contains(sets->make(kind, of), entities.rank(rank));
  }
};

TEST_CASE("a GPU is one entity however its address is printed") {
  Site s;
  CHECK(s.gpu("0000:04:00", "a") == s.gpu("00000000:04:00.0", "a"));
  CHECK(s.gpu("0000:04:00", "a") != s.gpu("0000:04:00", "b"));
  CHECK(s.entities[s.gpu("0000:04:00", "a")].key == "a/0000:04:00");
  CHECK(s.entities.short_name(s.gpu("0000:04:00", "a")) == "0000:04:00");
}

TEST_CASE("an entity of an unknown node is unknown, and each stream has its own") {
  Site s;
  const EntityId a = s.entities.from_text(EntityKind::Gpu, "0000:04:00", EntityId::None, 5);
  const EntityId b = s.entities.from_text(EntityKind::Gpu, "0000:04:00", EntityId::None, 6);
  CHECK(a != b);
  CHECK_FALSE(s.entities.known(a));
  CHECK(s.entities.short_name(a) == "0000:04:00");
  CHECK(s.entities.text(a) == "unknown gpu");
  CHECK(s.entities.node_of(a) == EntityId::None);
}

TEST_CASE("text that names no rank is no rank") {
  Site s;
  const auto rank = [&](const char* text) {
    return s.entities.from_text(EntityKind::Rank, text, EntityId::None, 1);
  };
  CHECK(rank("007") == s.entities.rank(7));
  CHECK(rank("-1") == EntityId::None);
  CHECK(rank("4294967295") == EntityId::None);
  CHECK(rank("x") == EntityId::None);
}

TEST_CASE("parts lead to their wholes by key") {
  Site s;
  const EntityId link = s.entities.from_text(EntityKind::Link, "0000:04:00/8", s.node("a"), 1);
  CHECK(s.entities.gpu_of_link(link) == s.gpu("0000:04:00", "a"));
  CHECK(s.entities.node_of(link) == s.node("a"));
  const EntityId comm = s.entities.intern(EntityKind::Communicator, "tp/0");
  CHECK(s.entities.communicator_of(s.entities.collective(comm, 42)) == comm);
  const EntityId port = s.entities.intern(EntityKind::SwitchPort, "sw1/12");
  CHECK(s.entities.switch_of(port) == s.entities.intern(EntityKind::Switch, "sw1"));
}

TEST_CASE("two places of one rank cancel to unknown and are counted once") {
  Site s;
  s.place(3, "a");
  s.place(3, "b");
  s.place(3, "c");
  s.place(4, "a", "0000:04:00");
  s.place(4, "a", "0000:04:00");
  s.resolve();
  CHECK(s.topology.node_of_rank(3) == EntityId::None);
  CHECK(s.topology.node_of_rank(4) == s.node("a"));
  CHECK(s.topology.gpu_of_rank(4) == s.gpu("0000:04:00", "a"));
  CHECK(s.topology.contradictions() == 1);
}

TEST_CASE("an observation with rank and node is a placement") {
  Site s;
  evidence::Observation o;
  o.rank = 9;
  o.node = "a";
  o.stream = 1;
  s.evidence.observations = {o};
  s.resolve();
  CHECK(s.topology.node_of_rank(9) == s.node("a"));
}

TEST_CASE("aliases of nodes also rename what sits on them, whatever the order of learning") {
  Site s;
  s.place(1, "a.example.org", "0000:04:00");
  s.place(1, "a", "0000:04:00");
  s.alias("a.example.org", s.node("host-a"));
  s.alias("host-a", s.node("a"));
  s.resolve();
  CHECK(s.topology.contradictions() == 0);
  CHECK(s.topology.node_of_rank(1) == s.node("a"));
  CHECK(s.topology.canonical(s.gpu("0000:04:00", "a.example.org")) == s.gpu("0000:04:00", "a"));
}

TEST_CASE("a host name is its own address, unless a fact says otherwise") {
  Site s;
  evidence::Observation o;
  o.node = "a.example.org";
  o.stream = 1;
  s.evidence.observations = {o};
  s.evidence.workload.nodes = {"b", "c"};
  s.alias("a.example.org", s.node("a"));
  s.topology.learn({LearnKind::Address, "c", 0, s.node("b"), EntityId::None});
  s.resolve();
  CHECK(s.topology.node_of_address("a.example.org") == s.node("a"));
  CHECK(s.topology.node_of_address("b") == s.node("b"));
  CHECK(s.topology.node_of_address("c") == s.node("b"));
  CHECK(s.topology.node_of_address("d") == EntityId::None);
}

TEST_CASE("aliases in a circle end") {
  Site s;
  s.alias("a", s.node("b"));
  s.alias("b", s.node("a"));
  s.resolve();
  CHECK(s.entities[s.topology.canonical(s.node("a"))].kind == EntityKind::Node);
}

TEST_CASE("a GPU is found by its UUID, on a node that is not known too") {
  Site s;
  s.alias("GPU-1234", s.gpu("0000:04:00", "a"));
  s.resolve();
  CHECK(s.topology.canonical(s.gpu("GPU-1234", "a")) == s.gpu("0000:04:00", "a"));
  const EntityId lost = s.entities.from_text(EntityKind::Gpu, "GPU-1234", EntityId::None, 2);
  CHECK(s.topology.canonical(lost) == s.gpu("0000:04:00", "a"));
}

TEST_CASE("the attempt's ranks are closed once the world is known") {
  Site s;
  s.world(4);
  s.resolve();
  const EntityId attempt = s.entities.attempt();
  CHECK(s.in(3, SetKind::RanksOfAttempt, attempt) == Truth::Yes);
  CHECK(s.in(4, SetKind::RanksOfAttempt, attempt) == Truth::No);
  CHECK((*s.sets)[s.sets->make(SetKind::RanksOfAttempt, attempt)].members.size() == 4);
}

TEST_CASE("of an unknown world any rank is one, but the set stays open") {
  Site s;
  s.place(2, "a");
  s.world(4);
  s.world(8);
  s.resolve();
  const EntityId attempt = s.entities.attempt();
  CHECK(s.in(100, SetKind::RanksOfAttempt, attempt) == Truth::Yes);
  const EntitySet& set = (*s.sets)[s.sets->make(SetKind::RanksOfAttempt, attempt)];
  CHECK_FALSE(set.closed);
  CHECK(set.members == std::vector<EntityId>{s.entities.rank(2)});
}

TEST_CASE("a world that nobody can have is not believed") {
  Site s;
  s.world(Topology::kMaxWorld);
  s.resolve();
  CHECK(s.topology.world() == Topology::kMaxWorld);
  Site t;
  t.world(Topology::kMaxWorld + 1);
  t.resolve();
  CHECK_FALSE(t.topology.world());
}

TEST_CASE("without member facts every rank shares a communicator with every other") {
  Site s;
  s.place(0, "a");
  s.world(2);
  s.resolve();
  CHECK(s.in(1, SetKind::CommRanksOfNode, s.node("a")) == Truth::Yes);
  CHECK(s.in(1, SetKind::CommRanksOfRank, s.entities.rank(0)) == Truth::Yes);
  CHECK(s.in(2, SetKind::CommRanksOfNode, s.node("a")) == Truth::No);
  CHECK(s.in(1, SetKind::CommRanksOfNode, EntityId::None) == Truth::Unknown);
}

TEST_CASE("with member facts only the members of shared communicators do") {
  Site s;
  s.place(0, "a");
  s.place(1, "b");
  s.world(4);
  s.member(0, "tp0");
  s.member(1, "tp0");
  s.member(2, "tp1");
  s.resolve();
  CHECK(s.in(1, SetKind::CommRanksOfNode, s.node("a")) == Truth::Yes);
  CHECK(s.in(2, SetKind::CommRanksOfNode, s.node("a")) == Truth::Unknown);
  CHECK(s.in(0, SetKind::CommRanksOfGpu, s.gpu("0000:04:00", "b")) == Truth::Yes);
}

TEST_CASE("a communicator of the world's size is the attempt") {
  Site s;
  s.place(0, "a");
  s.world(2);
  s.member(0, "world");
  s.member(1, "world");
  s.resolve();
  CHECK(s.in(1, SetKind::CommRanksOfNode, s.node("a")) == Truth::Yes);
  CHECK(s.in(5, SetKind::CommRanksOfNode, s.node("a")) == Truth::No);
}

TEST_CASE("a node that the header leaves out has nothing to do with the attempt") {
  Site s;
  s.evidence.workload.nodes = {"a", "b"};
  s.place(0, "a");
  s.place(7, "z");
  s.resolve();
  CHECK(s.in(0, SetKind::CommRanksOfNode, s.node("z")) == Truth::No);
  CHECK(s.in(7, SetKind::RanksOfNode, s.node("z")) == Truth::No);
  CHECK(s.in(0, SetKind::CommRanksOfNode, s.node("b")) == Truth::Yes);
}

TEST_CASE("a rank that is placed elsewhere is not on the node, an unplaced one may be") {
  Site s;
  s.place(0, "a");
  s.place(1, "b");
  s.resolve();
  CHECK(s.in(0, SetKind::RanksOfNode, s.node("a")) == Truth::Yes);
  CHECK(s.in(1, SetKind::RanksOfNode, s.node("a")) == Truth::No);
  CHECK(s.in(2, SetKind::RanksOfNode, s.node("a")) == Truth::Unknown);
}

}  // namespace
}  // namespace attrib::vm
