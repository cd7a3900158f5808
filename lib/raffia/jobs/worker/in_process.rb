# frozen_string_literal: true

require_relative "../setup"

module Raffia
  module Jobs
    class << self
      # Does jobs in this process, and keeps them in its memory: for work that need not outlive the program, with nothing to install. From now
      # on `perform_async` of any job goes there.
      #
      # @param store [String] another one than the memory
      # @param options [Hash] as {Worker#initialize} takes them
      # @yieldparam handle [Worker::Handle]
      # @return [Worker::Handle] its `stop` lets the jobs that have begun end; with a block its value, and the worker is stopped then
      # @raise [ConfigError, StoreUnavailable]
      def run_in_process(store: "memory:", **options)
        self.store = store
        handle = Worker.new(self.store, **options).start
        return handle unless block_given?

        begin
          yield handle
        ensure
          handle.stop
        end
      end
    end
  end
end
