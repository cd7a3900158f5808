# frozen_string_literal: true

require_relative "../harness/programs"

module ServerBench
  # The load, and the targets that are no Ruby.
  Tools = Bench::Programs.new("server", "load.c", "limit.c", "net_http.go")
end
