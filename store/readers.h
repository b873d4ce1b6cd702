#pragma once

// Reads, on a few connections of their own that are made when they are needed. No read holds a
// snapshot of SQLite while it calls back or is waited for: a slow reader would keep the write-ahead
// log from being emptied.

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "store/store.h"

namespace attrib::store {

class Reader;

class Readers {
 public:
  Readers(std::string path, const StoreOptions& options);
  ~Readers();
  Readers(const Readers&) = delete;
  Readers& operator=(const Readers&) = delete;

  Outcome<Session> session(const std::string& id);
  Outcome<std::vector<Session>> sessions(std::uint64_t after, std::size_t most);
  Outcome<std::uint64_t> observations(const std::string& id);
  Outcome<std::vector<PostInfo>> posts(const std::string& id, const std::string& after,
                                       std::size_t most);
  Outcome<Session> contents(const std::string& id,
                            const std::function<void(const PostInfo&, std::string content)>& each);

 private:
  // Runs `work` on a connection that no other thread uses meanwhile; waits if all are in use.
  template <typename T>
  Outcome<T> with_reader(const std::function<Outcome<T>(Reader&)>& work);
  std::unique_ptr<Reader> borrow();
  void give_back(std::unique_ptr<Reader> reader);

  std::string path_;
  StoreOptions options_;
  std::mutex mutex_;
  std::condition_variable returned_;
  std::vector<std::unique_ptr<Reader>> idle_;
  std::size_t made_ = 0;
};

}  // namespace attrib::store
