# frozen_string_literal: true

require_relative "../../service/handle"

module Raffia
  module Jobs
    class Worker
      # A worker that runs in a thread of this process. {#stop} lets the jobs that have begun end,
      # for at most the worker's `timeout`.
      class Handle < Service::Handle
        # @return [Worker]
        attr_reader :worker

        # @param worker [Worker]
        # @raise [Exception] what kept it from starting
        def initialize(worker)
          @worker = worker
          super
        end
      end
    end
  end
end
