# frozen_string_literal: true

require_relative "../../process/sidecar"
require_relative "lease_board"
require_relative "lease_monitor/service"

module Raffia
  module Jobs
    class Worker
      # A small process beside a worker, seen from the worker.
      #
      # * It renews the lease while the worker lives and cannot do so itself, because a call into C
      #   keeps Ruby's lock.
      # * When the worker dies, it ends the lease at once, and tells the store which jobs had begun.
      # * It forks the processes in which suspects run, each alone ({Store::Death}): no job has ever
      #   run where they are forked from.
      #
      # See docs/adr/0020.
      #
      # @api private
      class LeaseMonitor
        # @return [Boolean] whether a worker can have one: its store must be shared by processes
        def self.possible?(store)
          store.shared? && ::Process.respond_to?(:fork) && !defined?(JRUBY_VERSION)
        end

        # @param board [LeaseBoard]
        # @param log [Logger]
        # @param service [Hash] what {Service} needs besides
        # @raise [SystemCallError] when there can be no more processes
        def initialize(board, log, **service)
          worker = ::Process.pid
          @process = Process::Sidecar.new do |commands, ready|
            Service.new(worker, board, commands, log, **service).run(ready)
          end
          unless @process.ready
            log.error({event: "no lease monitor", why: "it does not begin to run"})
          end
        end

        # @return [Integer]
        def pid = @process.pid

        # @return [Boolean]
        def alive? = @process.alive?

        # Runs suspects, if it does not already.
        # @return [void]
        def isolate = @process.tell(Service::ISOLATE)

        # The worker drains, and so do those that run suspects.
        # @return [void]
        def drain = @process.tell(Service::DRAIN)

        # Nothing needs to be watched any more.
        # @param seconds [Numeric] for those that run suspects, to end
        # @return [void]
        def close(seconds) = @process.close(seconds)
      end
    end
  end
end
