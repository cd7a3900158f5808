# frozen_string_literal: true

require_relative "../warmup"
require_relative "birth"
require_relative "channel"
require_relative "life"
require_relative "seat"

module Raffia
  module Process
    class Supervisor
      # Bears workers by forking the supervisor itself. What is to be preloaded is loaded here,
      # once: all generations have it. Without `template` each worker loads it for itself.
      #
      # @api private
      class Nursery
        # @return [Integer]
        attr_reader :generation

        # @param settings [Settings]
        # @param work [#call] of a worker
        # @param boards [Boards]
        # @param disown [#call] closes, in a child, what is the supervisor's, but for the IOs that
        #   it gets
        # @param generation [Integer]
        # @param preloaded [Object, nil]
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

        # @return [Nursery] of the next generation
        def next(generation)
          Nursery.new(@settings, @work, @boards, @disown, generation: generation,
            preloaded: @preloaded)
        end

        # @return [Symbol] :ready: it bears workers at once; a {Mold} has more states
        def state = :ready

        # @return [Boolean] whether it bears no more
        def dead? = false

        # What a {Mold} has, and this has not.

        # @return [Array]
        def ios = []

        # @return [nil]
        def pid = nil

        # @return [nil]
        def deadline = nil

        # @return [void]
        def hear = nil

        # @return [void]
        def close = nil

        # @param slot [Slot]
        # @param lane [Integer]
        # @return [Array(Channel, Integer)] our end, and the pid
        # @raise [SystemCallError] when there can be no more processes
        def bear(slot, lane)
          ours, theirs = Channel.pair
          @settings.hooks[:before_fork]&.call(slot.index) unless @settings.worker_loads?
          # In a block of fork nothing of the supervisor's own stack is ever unwound.
          [ours, Birth.fork { live(slot, lane, ours, theirs) }]
        rescue
          ours&.close
          raise
        ensure
          theirs&.close
        end

        private

        def live(slot, lane, ours, theirs)
          ours.close
          @disown.call([theirs.to_io, *slot.ios])
          seat = Seat.new(theirs, log: @settings.log, boards: @boards, index: slot.index,
            generation: @generation, lane: lane,
            ios: slot.ios, preloaded: @preloaded)
          exit(Life.new(@supervisor, @settings).run(seat, @work))
        end
      end
    end
  end
end
