# frozen_string_literal: true

require_relative "../../base/clock"
require_relative "../../task"

module Raffia
  module Jobs
    class Worker
      # Claims as many jobs as there is room for, and waits where there are none. Jobs that compute
      # are claimed few at a time, for a job that waits here while another computes had better be
      # done by another process.
      #
      # @api private
      class Intake
        # Seconds after which the store is asked even though it has not called.
        LONGEST = 15
        # Seconds to rest when the store calls again and again, and then has nothing: at first, and
        # at most.
        REST = 0.01
        MOST = 0.1
        # Jobs of the first claim. After that it is twice as many, or half, as those of the last one
        # have all begun within this time, or not.
        FIRST = 4
        BRIEF = 0.02
        private_constant :REST, :MOST, :FIRST, :BRIEF

        # @param store [Store]
        # @param queues [Queues]
        # @param keeper [Keeper]
        # @param runs [Runs]
        # @param patience [Patience]
        # @param upkeep [Upkeep]
        # @yield ends the worker
        def initialize(store, queues, keeper, runs, patience, upkeep, &stop)
          @store = store
          @queues = queues
          @keeper = keeper
          @runs = runs
          @patience = patience
          @upkeep = upkeep
          @closed = false
          @rest = 0
          @most = FIRST
          @called = @suspects = false
          @stop = stop
          @claims = 0
        end

        # @return [Boolean]
        def closed? = @closed

        # @return [Integer, nil] which claim is under way
        attr_reader :claiming

        # Until {close}.
        def run
          until @closed
            room = @runs.await_room
            break if @closed

            take(room)
          end
        end

        # There are suspects, and no other process to run them in: they run here, each when nothing
        # else does.
        # @return [void]
        def run_suspects
          @suspects = true
          @store.interrupt
        end

        # No more jobs are begun.
        # @return [void]
        def close
          @closed = true
          @runs.stir
          @store.interrupt
        end

        private

        def take(room)
          return take_alone if @suspects

          claims = claim([room, @most].min)
          return idle if claims.empty?
          return @patience.keep { @store.release(claims) } if @closed # meanwhile

          @rest = 0
          @called = false
          @upkeep.busy
          begin_all(claims)
          sleep(0) # a store that never waits must not keep others from their turn
        end

        def begin_all(claims)
          began = Clock.now
          enter(claims)
          @most = if Clock.now - began > BRIEF
            (@most / 2).clamp(1..)
          else
            (@most * 2).clamp(..@runs.limit)
          end
        end

        def take_alone
          return unless @runs.await_end(LONGEST) && !@closed

          claims = claim_suspect
          claims.empty? ? @suspects = false : enter(claims)
        end

        def claim_suspect = claim(1, suspects: true)

        def claim(limit, **kind)
          @claiming = @claims += 1
          found =
            @patience.keep(-> {
              @closed
            }) { @store.claim(@keeper.lease, @queues.order, limit, **kind) } || []
          @claiming = nil if found.empty?
          found
        end

        # They are among the runs from here on.
        def enter(claims)
          @runs.begin(claims)
        ensure
          @claiming = nil
        end

        # Somebody else may have been faster, time after time, or a queue is paused: then there is
        # nothing, however often it calls.
        def idle
          return if @closed

          # and there was nothing to claim: then there may be something to promote
          @upkeep.stir if @called
          Waiter.nap(@rest) if @rest.positive?
          @called = true
          at_once = @patience.keep(-> { @closed }) { at_once? }
          @rest = at_once ? (@rest * 2).clamp(REST, MOST) : 0
        end

        def at_once?
          began = Clock.now
          @store.wait(@queues.names, timeout: LONGEST)
          Clock.now - began < REST
        end
      end
    end
  end
end
