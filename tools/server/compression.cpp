#include "tools/server/compression.h"

#include <array>
#include <cstdint>
#include <isa-l/igzip_lib.h>
#include <limits>
#include <memory>
#include <stdexcept>

namespace pupc::server {
namespace {

struct Compressor {
  isal_zstream stream;
  std::array<uint8_t, ISAL_DEF_LVL1_DEFAULT> tables;
};

/// What a text that cannot be made shorter needs: each stored block has 5 bytes before it, and gzip's header and checksum are 18.
size_t longest_result(size_t size) {
  constexpr size_t shortest_block = 16384, block_header = 5, ends = 64;
  return size + (size / shortest_block + 1) * block_header + ends;
}

} // namespace

std::string gzip(std::string_view text) {
  const size_t room = longest_result(text.size());
  if (room > std::numeric_limits<uint32_t>::max()) throw std::runtime_error("a response is too long to be compressed");
  const auto out = std::make_unique_for_overwrite<uint8_t[]>(room);
  // Kept by each thread: 360 KB that would be cleared for each response.
  thread_local const auto compressor = std::make_unique<Compressor>();
  isal_zstream& stream = compressor->stream;
  isal_deflate_stateless_init(&stream);
  stream.level = 1;
  stream.level_buf = compressor->tables.data();
  stream.level_buf_size = static_cast<uint32_t>(compressor->tables.size());
  stream.gzip_flag = IGZIP_GZIP;
  stream.end_of_stream = 1;
  // The library reads from here and never writes; its interface is older than const.
  stream.next_in = reinterpret_cast<uint8_t*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uint32_t>(text.size());
  stream.next_out = out.get();
  stream.avail_out = static_cast<uint32_t>(room);
  if (isal_deflate_stateless(&stream) != COMP_OK) throw std::runtime_error("could not compress a response");
  return {reinterpret_cast<const char*>(out.get()), stream.total_out};
}

} // namespace pupc::server
