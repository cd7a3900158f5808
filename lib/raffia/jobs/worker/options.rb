# frozen_string_literal: true

require_relative "../../base/log"
require_relative "../../executor/cpus"
require_relative "../setup"
require_relative "settings"

module Raffia
  module Jobs
    class Worker
      # The settings of one worker, a reader for each row of {Settings}.
      #
      # @api private
      class Options < ::Data.define(*Settings.names)
        # What an isolated worker has of its own.
        OWN = %i[concurrency heart wait monitored isolated].freeze
        private_constant :OWN

        # @raise [ConfigError]
        def self.build(given)
          set = Settings.build(given)
          third = set[:lease] / 3.0
          new(**set, beat: set[:beat] || third, recover: set[:recover] || third,
            log: set[:log] || Log.build(Raffia.config),
            instrument: set[:instrument] || Raffia.instrument,
            middleware: set[:middleware] || Setup.current.worker_middleware,
            tag: set[:tag] || ::File.basename(::Dir.pwd))
        end

        # @return [Hash{Symbol => Integer}] jobs at a time: on threads, processes, Ractors; and in
        #   all, which :fibers stands for
        def sizes
          cpus = Executor::Cpus.count
          {fibers: concurrency, threads: [threads, concurrency].min,
           processes: processes || cpus, ractors: ractors || cpus}
        end

        # @return [Boolean] whether the heart beats while there is progress
        def lenient? = heartbeat == :progress

        # @return [Hash{String => Object}] what people see of the worker
        def about = {"tag" => tag, "labels" => labels}

        # @return [Hash{Symbol => Object}] settings of a worker for suspects
        def for_isolated = to_h.except(*OWN)
      end
    end
  end
end
