# frozen_string_literal: true

require_relative "../../task"
require_relative "hands"
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
          @hands = Hands.new(scope) { |run| ended(run) }
          @limit = limit
          @desk = desk
          @runs = {}.compare_by_identity
          @room = @on_end = nil
        end

        # @return [Integer]
        def size = @runs.size

        # @return [Boolean]
        def empty? = @runs.empty?

        # @return [Array<Run>]
        def to_a = @runs.keys

        # @param claims [Array<Claim>]
        # @return [void]
        def begin(claims)
          @hands.take(claims.map { |claim| Run.new(claim, @desk).tap { |run| enter(run) } })
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

        # Calls the block when there is none any more; at once when there is none now.
        # @return [void]
        def on_end(&block)
          @on_end = block
          yield if @runs.empty?
        end

        # Waits until all have ended.
        # @param seconds [Numeric] at most
        # @return [Boolean] whether they have
        def await_end(seconds)
          waiter = Waiter.new
          on_end { waiter.settle }
          waiter.wait(seconds) != Waiter::TIMED_OUT
        end

        # @param jid [String]
        # @return [Run, nil]
        def find(jid) = to_a.find { |run| run.jid == jid }

        # @param lease [Lease]
        # @return [Hash{Array(Integer, Integer) => Run}] those of the lease that the store still has
        #   to hear of, by the key of their claim
        def held(lease)
          to_a.select { |run| run.claim.lease == lease && !run.concluded? }
            .to_h { |run| [run.claim.key, run] }
        end

        # @return [Array<Hash>] as {Store#beat} takes them
        def work = to_a.first(SHOWN).map(&:work)

        private

        # Where jobs wait for a place already, more of them are better left to others.
        def room_now
          spare = @desk.places.spare
          room = @limit - @runs.size
          (spare && spare < room) ? spare : room
        end

        def enter(run)
          @runs[run] = true
          run.slot = @desk.board&.reserve(run.claim.key)
        end

        def ended(run)
          @runs.delete(run)
          @desk.board&.release(run.slot)
          @room&.settle
          @on_end&.call if @runs.empty?
        end
      end
    end
  end
end
