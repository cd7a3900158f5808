# frozen_string_literal: true

require_relative "../warmup"
require_relative "channel"
require_relative "life"
require_relative "seat"

module Raffia
  module Process
    class Supervisor
      # Bears workers by forking the supervisor itself.
      #
      # @api private
      class Nursery
        # @return [Integer]
        attr_reader :generation

        # @param settings [Settings]
        # @param work [#call] of a worker
        # @param boards [Boards]
        # @param generation [Integer]
        # @param disown [#call] closes, in a child, what is the supervisor's; gets what to keep
        def initialize(settings, work, boards, generation, disown)
          @settings = settings
          @work = work
          @boards = boards
          @generation = generation
          @disown = disown
          @supervisor = ::Process.pid
          @preloaded = settings.preload&.call
          Warmup.call
        end

        # @param slot [Slot]
        # @param lane [Integer]
        # @return [Array(Channel, Integer)] our end, and the pid
        # @raise [SystemCallError] when there can be no more processes
        def bear(slot, lane)
          ours, theirs = Channel.pair
          @settings.hooks[:before_fork]&.call(slot.index)
          # In a block of fork nothing of the supervisor's own stack is ever unwound.
          pid = ::Process.fork do
            ours.close
            live(slot, lane, theirs)
          end
          [ours, pid]
        rescue
          ours&.close
          raise
        ensure
          theirs&.close
        end

        private

        def live(slot, lane, channel)
          @disown.call([channel.to_io, *slot.ios])
          seat = Seat.new(channel, boards: @boards, index: slot.index, generation: @generation, lane: lane, ios: slot.ios,
            preloaded: @preloaded)
          exit(Life.new(@supervisor, @settings.name, @settings.hooks).run(seat, @work))
        end
      end
    end
  end
end
