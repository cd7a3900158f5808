# frozen_string_literal: true

require_relative "../../executor/cpus"
require_relative "settings"

module Raffia
  module Jobs
    class Worker
      # The settings of one worker, a reader for each row of {Settings}.
      # @api private
      class Options < ::Data.define(*Settings.names)
        # Settings that an isolated worker does not take over.
        OWN = %i[concurrency liveness wait monitored isolated].freeze
        private_constant :OWN

        def self.build(given)
          set = Settings.build(given)
          third = set[:lease] / 3.0
          new(**set, beat: set[:beat] || third, recover: set[:recover] || third,
            log: set[:log] || Log.build(Raffia.config),
            instrument: set[:instrument] || Raffia.instrument,
            middleware: set[:middleware] || Setup.current.worker_middleware,
            tag: set[:tag] || ::File.basename(::Dir.pwd))
        end

        # Jobs at a time by executor; :fibers stands for all.
        def sizes
          cpus = Executor::Cpus.count
          {fibers: concurrency, threads: [threads, concurrency].min,
           processes: processes || cpus, ractors: ractors || cpus}
        end

        # Any progress of the process counts, not only turns of the loop.
        def lenient? = heartbeat == :progress

        def for_isolated = to_h.except(*OWN)
      end
    end
  end
end
