# frozen_string_literal: true

require_relative "../../base/signals"
require_relative "../../process/supervisor"
require_relative "../worker"
require_relative "seated"

module Raffia
  module Jobs
    class Worker
      # Worker processes, and this one that keeps them alive.
      #
      # @api private
      class Supervised
        # Seconds that a worker has beyond its own timeout: to interrupt what is left, and to give
        # it back.
        MARGIN = 8
        # Seconds between two looks at the memory of the workers: a job may take it up quickly.
        LOOK = 5

        # @param load [#call] the application, once for each generation of workers
        # @param timeout [Numeric] seconds, of the workers
        # @param settings [Hash] of {Process::Supervisor}
        # @yieldparam heart [#beat]
        # @yieldreturn [Worker]
        def initialize(load:, timeout:, **settings, &make)
          @figures = Status::Supervised.new
          hooks = {on_message: ->(_, name, data) { @figures.hear(name, data) }}
          @supervisor = Process::Supervisor.new(**settings, hooks: hooks, preload: load,
            drain_timeout: timeout + MARGIN, memory_interval: LOOK) do |seat|
            Seated.run(seat, settings[:log]) { make.call(seat) }
          end
          @figures.supervisor = @supervisor
        end

        # @return [Status::Supervised]
        attr_reader :figures

        # @return [Hash] see {Process::Supervisor#status}
        def status = @supervisor.status || {state: :booting, workers: 0, ready: 0, slots: []}

        # @return [Integer] exit status
        # @yield when signals are understood
        def run(&)
          Signals.with(chain: false, **Seated.signals(@supervisor)) { @supervisor.run(&) }
        end
      end
    end
  end
end
