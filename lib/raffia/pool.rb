# frozen_string_literal: true

require_relative "base"
require_relative "task"
require_relative "process"

module Raffia
  # Workers that live on between pieces of work.
  #
  #     pool = Raffia::Pool.new(on: :threads, workers: 10)
  #     future = pool.submit { fetch(url) }
  #     future.value
  #     pool.shutdown
  #
  # A block cannot be sent to a process or a Ractor that runs already. There the pool is given its
  # block when it is made, and +submit+ takes what the block is called with; the other strategies
  # can be used like that as well:
  #
  #     Raffia::Pool.open(on: :processes, workers: 4) { |path| digest(path) }
  class Pool
  end
end

require_relative "pool/api"
require_relative "pool/offload"
require_relative "pool/operation_threads"
require_relative "pool/standing/standing"
