# frozen_string_literal: true

require_relative "../../task"
require_relative "run"

module Raffia
  module Jobs
    class Worker
      # The runs that have begun and not ended.
      #
      # @api private
      class Runs
        # How many are told of in a sign of life.
        SHOWN = 1000

        # @return [Integer] how many there may be
        attr_reader :limit

        # @param scope [Scope]
        # @param limit [Integer]
        # @param desk [Desk] what all runs share
        def initialize(scope, limit, desk)
          @scope = scope
          @limit = limit
          @desk = desk
          @runs = {}.compare_by_identity
          @room = @idle = nil
        end

        # @return [Integer]
        def size = @runs.size

        # @return [Boolean]
        def empty? = @runs.empty?

        # @return [Array<Run>]
        def to_a = @runs.keys

        # @param claim [Claim]
        # @return [void]
        def begin(claim)
          run = Run.new(claim, @desk)
          @runs[run] = true
          @scope.spawn do
            run.call
          ensure
            ended(run)
          end
        end

        # Waits until another job may be claimed, or {stir}.
        # @return [Integer] how many
        def await_room
          while (room = room_now) <= 0
            @room = Waiter.new
            break if @room.wait == :stirred
          end
          room
        ensure
          @room = nil
        end

        # @return [void]
        def stir = @room&.settle(:stirred)

        # Waits until all have ended.
        # @param seconds [Numeric] at most
        # @return [Boolean] whether they have
        def await_end(seconds)
          return true if @runs.empty?

          @idle = Waiter.new
          @idle.wait(seconds) != Waiter::TIMED_OUT
        end

        # @param jid [String]
        # @return [Run, nil]
        def find(jid) = @runs.each_key.find { |run| run.jid == jid }

        # @return [Array<Hash>] as {Store#beat} takes them
        def work = @runs.each_key.first(SHOWN).map(&:work)

        private

        # Where jobs wait for a place already, more of them are better left to others.
        def room_now = @desk.places.crowded? ? 0 : @limit - @runs.size

        def ended(run)
          @runs.delete(run)
          @room&.settle
          @idle&.settle if @runs.empty?
        end
      end
    end
  end
end
