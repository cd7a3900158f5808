# frozen_string_literal: true

# One runtime for concurrency in Ruby: inline, fibers, threads, Ractors and processes. Start with
# {Raffia.run} and {Raffia.map}.
module Raffia
end

require_relative "raffia/base"
require_relative "raffia/engine"
require_relative "raffia/scheduler"
require_relative "raffia/task"
require_relative "raffia/pool"
require_relative "raffia/pool/auto"
require_relative "raffia/run"
