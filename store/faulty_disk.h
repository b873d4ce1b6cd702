#pragma once

// A disk that fails when a test says so: a VFS of SQLite in front of the real one. For the tests of
// this room.

#include <sqlite3.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <new>

namespace attrib::store {

struct FaultyDisk {
  // While this lives, files are opened on it; it is one a process at a time.
  FaultyDisk() {
    disk = this;
    real = sqlite3_vfs_find(nullptr);
    vfs = *real;
    vfs.zName = "faulty";
    vfs.szOsFile = static_cast<int>(sizeof(File)) + real->szOsFile;
    vfs.xOpen = open;
    sqlite3_vfs_register(&vfs, 1);
  }
  ~FaultyDisk() {
    sqlite3_vfs_unregister(&vfs);
    sqlite3_vfs_register(real, 1);
    disk = nullptr;
  }
  FaultyDisk(const FaultyDisk&) = delete;
  FaultyDisk& operator=(const FaultyDisk&) = delete;

  std::atomic<std::int64_t> free_bytes = std::int64_t{1} << 60U;  // By which files can still grow.
  std::atomic<int> write_code = SQLITE_OK;                        // What writing gives, ...
  std::atomic<int> sync_code = SQLITE_OK;                         // ... and syncing.
  std::atomic<int> unsynced_log_writes = 0;
  std::atomic<int> log_syncs = 0;

 private:
  struct File {
    sqlite3_file base;
    bool log;
    [[nodiscard]] sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
  };
  static sqlite3_file* real_of(sqlite3_file* file) { return reinterpret_cast<File*>(file)->real(); }

  static int open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out_flags) {
    auto* mine = new (file) File{};
    mine->log = (flags & SQLITE_OPEN_WAL) != 0;
    const int code = disk->real->xOpen(disk->real, name, mine->real(), flags, out_flags);
    if (code == SQLITE_OK) mine->base.pMethods = &kMethods;
    return code;
  }
  static int write(sqlite3_file* file, const void* data, int size, sqlite3_int64 at) {
    sqlite3_int64 old = 0;
    real_of(file)->pMethods->xFileSize(real_of(file), &old);
    if (disk->write_code != SQLITE_OK) return disk->write_code;
    if (at + size > old) {
      if (disk->free_bytes < at + size - old) return SQLITE_FULL;
      disk->free_bytes -= at + size - old;
    }
    if (reinterpret_cast<File*>(file)->log) ++disk->unsynced_log_writes;
    return real_of(file)->pMethods->xWrite(real_of(file), data, size, at);
  }
  static int sync(sqlite3_file* file, int flags) {
    if (disk->sync_code != SQLITE_OK) return disk->sync_code;
    if (reinterpret_cast<File*>(file)->log) {
      disk->unsynced_log_writes = 0;
      ++disk->log_syncs;
    }
    return real_of(file)->pMethods->xSync(real_of(file), flags);
  }
  static int truncate(sqlite3_file* file, sqlite3_int64 size) {
    return real_of(file)->pMethods->xTruncate(real_of(file), size);
  }
  static int close(sqlite3_file* file) { return real_of(file)->pMethods->xClose(real_of(file)); }
  static int read(sqlite3_file* file, void* data, int size, sqlite3_int64 at) {
    return real_of(file)->pMethods->xRead(real_of(file), data, size, at);
  }
  static int size(sqlite3_file* file, sqlite3_int64* bytes) {
    return real_of(file)->pMethods->xFileSize(real_of(file), bytes);
  }
  static int lock(sqlite3_file* file, int kind) {
    return real_of(file)->pMethods->xLock(real_of(file), kind);
  }
  static int unlock(sqlite3_file* file, int kind) {
    return real_of(file)->pMethods->xUnlock(real_of(file), kind);
  }
  static int reserved(sqlite3_file* file, int* is) {
    return real_of(file)->pMethods->xCheckReservedLock(real_of(file), is);
  }
  static int control(sqlite3_file* file, int what, void* with) {
    return real_of(file)->pMethods->xFileControl(real_of(file), what, with);
  }
  static int sector(sqlite3_file* file) {
    return real_of(file)->pMethods->xSectorSize(real_of(file));
  }
  static int device(sqlite3_file* file) {
    return real_of(file)->pMethods->xDeviceCharacteristics(real_of(file));
  }
  static int map(sqlite3_file* file, int page, int bytes, int extend, void volatile** at) {
    return real_of(file)->pMethods->xShmMap(real_of(file), page, bytes, extend, at);
  }
  static int shm_lock(sqlite3_file* file, int offset, int n, int flags) {
    return real_of(file)->pMethods->xShmLock(real_of(file), offset, n, flags);
  }
  static void barrier(sqlite3_file* file) { real_of(file)->pMethods->xShmBarrier(real_of(file)); }
  static int unmap(sqlite3_file* file, int erase) {
    return real_of(file)->pMethods->xShmUnmap(real_of(file), erase);
  }

  static constexpr sqlite3_io_methods kMethods = {
      2,       close,  read,   write, truncate, sync,    size,  lock,    unlock, reserved,
      control, sector, device, map,   shm_lock, barrier, unmap, nullptr, nullptr};
  inline static FaultyDisk* disk = nullptr;
  sqlite3_vfs vfs{};
  sqlite3_vfs* real = nullptr;
};

}  // namespace attrib::store
