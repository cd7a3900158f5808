# frozen_string_literal: true

require_relative "bounded_fork"
require_relative "message_channel"
require_relative "worker_main"
require_relative "worker_context"

module Raffia
  module Process
    class Supervisor
      # Forks workers from the supervisor itself. It preloads once, for all generations; without
      # `template` each worker loads for itself.
      #
      # @api private
      class Forker
        attr_reader :generation

        def initialize(settings, work, boards, disown, generation: 1,
          preloaded: (settings.preload&.call if settings.template))
          @settings = settings
          @work = work
          @boards = boards
          @disown = disown
          @generation = generation
          @preloaded = preloaded
          @supervisor = ::Process.pid
          Warmup.call
        end

        def next(generation)
          Forker.new(@settings, @work, @boards, @disown, generation: generation,
            preloaded: @preloaded)
        end

        def state = :ready

        def dead? = false

        def ios = []

        def pid = nil

        def deadline = nil

        def hear = nil

        def close = nil

        # Our end, and the pid. Raises SystemCallError when there can be no more processes.
        def spawn(slot, row)
          ours, theirs = MessageChannel.pair
          @settings.hooks[:before_fork]&.call(slot.index) unless @settings.worker_loads?
          # In a block of fork nothing of the supervisor's own stack is unwound.
          [ours, BoundedFork.fork { live(slot, row, ours, theirs) }]
        rescue
          ours&.close
          raise
        ensure
          theirs&.close
        end

        private

        def live(slot, row, ours, theirs)
          ours.close
          @disown.call([theirs.to_io, *slot.ios])
          context = WorkerContext.new(theirs, log: @settings.log, boards: @boards,
            index: slot.index,
            generation: @generation, row: row,
            ios: slot.ios, preloaded: @preloaded)
          exit(WorkerMain.new(@supervisor, @settings).run(context, @work))
        end
      end
    end
  end
end
