# frozen_string_literal: true

module Raffia
  # Forked workers: start, watch, end and reap them, and exchange frames with them. This room knows
  # nothing of pools or tasks.
  #
  # Inside <tt>module Raffia</tt> the core module is <tt>::Process</tt>.
  module Process
  end
end

require_relative "process/cell"
require_relative "process/exit"
require_relative "process/experimental"
require_relative "process/framed_pipe"
require_relative "process/link"
require_relative "process/headroom"
require_relative "process/memory"
require_relative "process/parcels"
require_relative "process/warmup"
require_relative "process/worker"
