# shellcheck shell=bash
# Needs of the tests of the server: proxies, clients of HTTP/2 and gRPC, load generators, attackers,
# a browser, frameworks.

missing_for_server() {
  has nginx || [ -x /usr/sbin/nginx ] || echo nginx-light
  has haproxy || [ -x /usr/sbin/haproxy ] || echo haproxy
  has curl || echo curl
  has wrk || echo wrk
  has ab || echo apache2-utils
  has slowhttptest || echo slowhttptest
  has openssl || echo openssl
  has nghttp && has h2load || echo nghttp2-client
  has chromium || has google-chrome || echo chromium
  /usr/bin/python3 -c 'import prometheus_client' 2>/dev/null || echo python3-prometheus-client
  /usr/bin/python3 -c 'import h2, hpack, hyperframe' 2>/dev/null || echo python3-h2
  /usr/bin/python3 -c 'import grpc' 2>/dev/null || echo python3-grpcio
}

server_ready() { extra_ready server; }

server_make() { extra_make server "the tests of the server"; }
