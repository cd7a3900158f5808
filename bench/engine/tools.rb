# frozen_string_literal: true

require_relative "../harness/programs"

module EngineBench
  # The C programs.
  Tools = Bench::Programs.new("engine", "load.c", "limit.c")
end
