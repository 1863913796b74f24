#pragma once
// The server's files for sources of a catalog and for the synchronisation of plugins.
#include "catalog/json/catalog_reader.h"
#include "runtime/provider/provider.h"
#include "runtime/provider/remote_files.h"
#include "tools/agent/server_session.h"

#include <map>
#include <memory>
#include <string>

namespace pupc::cli::agent {

class ServerFiles final : public RemoteFiles {
public:
  /// `plugins`: files get no permissions beyond read, write for the owner, and execute, and are never links.
  ServerFiles(Session& session, std::string environment, bool plugins)
      : session_(session), environment_(std::move(environment)), plugins_(plugins) {}

  /// From now on answers are those that a static catalog brings, where it brings them: the state of files at the code that it was compiled
  /// of. The values must stay.
  void use(const StaticFiles& files, std::string code_id);

  std::optional<RemoteFile> look(const std::string& url, const RemoteView& view) override;
  std::optional<std::vector<RemoteFile>> tree(const std::string& url, const RemoteView& view) override;
  void content(const std::string& url, const System::Take& take) override;
  const std::string& environment() const override { return environment_; }
  void keep(const std::string& sum, const std::string& path, const std::string& content) override;
  std::optional<std::string> kept(const std::string& sum) override;

private:
  struct Place {
    http::ServerAddress server;
    std::string path; // "modules/ntp/ntp.conf", decoded
  };
  Place place_of(const std::string& url) const;
  Query query_of(const RemoteView& view) const;
  RemoteFile read(const Value& metadata, const std::string& url) const;
  std::optional<std::vector<RemoteFile>> take_tree(const Value& list, const std::string& url, const RemoteView& view);
  void note_content(const Value& metadata, const std::string& url);

  Session& session_;
  std::string environment_;
  bool plugins_;
  StaticFiles static_files_;
  std::string code_id_;
  std::map<std::string, std::string> static_content_; // URL of the content at the catalog's code, by the source's URL
  std::map<std::string, RemoteFile> known_; // of trees that were listed, by URL and view: their files need not be asked for one by one
};

} // namespace pupc::cli::agent
