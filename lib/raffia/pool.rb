# frozen_string_literal: true

require_relative "base"
require_relative "task"
require_relative "process"

module Raffia
  # Work handed to workers: in the caller, on fibers, threads, Ractors or forked processes, by one contract.
  class Pool
  end
end

require_relative "pool/api"
require_relative "pool/offload"
