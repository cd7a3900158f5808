# frozen_string_literal: true

require_relative "../harness/programs"

module ServerBench
  # The load, and the targets that are no Ruby.
  Tools = Bench::Programs.new("server", "load.c", "limit.c", "limit_h2.c", "net_http.go",
    libraries: {"limit_h2.c" => %w[-lnghttp2]})
end
