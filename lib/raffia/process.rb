# frozen_string_literal: true

module Raffia
  # Forked workers: starts, watches, ends and reaps them, and exchanges frames with them.
  #
  # Inside <tt>module Raffia</tt> the core module is <tt>::Process</tt>.
  module Process
  end
end

require_relative "process/shared_counter"
require_relative "process/exit"
require_relative "process/experimental_warning"
require_relative "process/framed_pipe"
require_relative "process/worker_connection"
require_relative "process/heap_reserve"
require_relative "process/memory"
require_relative "process/recycle_policy"
require_relative "process/shared_memory_payloads"
require_relative "process/warmup"
require_relative "process/worker"
