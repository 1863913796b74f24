#include "tools/server/served_certificates.h"

#include <gtest/gtest.h>

namespace pupc::server {
namespace {

TEST(ServedCertificates, WhatEndsSoonIsTold) {
  constexpr std::time_t day = 86400;
  using Of = http::TlsValidity::Of;
  const http::TlsValidity own{Of::Certificate, "/host.pem", 0, 1825 * day}, list{Of::Crl, "/crl.pem", 100 * day, 110 * day};
  EXPECT_EQ(ending_text(own, 1794 * day), "");
  EXPECT_EQ(ending_text(own, 1796 * day), "The certificate '/host.pem' ends in 29 days: after that, agents refuse this server");
  EXPECT_EQ(ending_text(own, 1824 * day - 1), "The certificate '/host.pem' ends in 24 hours: after that, agents refuse this server");
  EXPECT_EQ(ending_text(own, 1825 * day), "The certificate '/host.pem' has ended: agents refuse this server");
  // One that is made anew each week is no matter a week before its end.
  EXPECT_EQ(ending_text(list, 107 * day), "");
  EXPECT_EQ(ending_text(list, 109 * day), "The revocation list '/crl.pem' ends in 24 hours: after that, all agents are refused");
}

} // namespace
} // namespace pupc::server
