# frozen_string_literal: true

require_relative "scoreboards"

module Raffia
  module Process
    class Supervisor
      # A worker's slot. It keeps its resources while workers come and go: {current} serves,
      # {successor} is about to take over, {leaving} finish.
      #
      # @api private
      class Slot
        attr_reader :index, :ios, :current, :successor, :leaving, :backoff, :starts, :last_exit
        attr_accessor :forker
        # When the next worker is to be started; nil while there is one.
        attr_accessor :due
        attr_accessor :retired

        def initialize(index, ios, backoff)
          @index = index
          @ios = ios
          @leaving = []
          @backoff = backoff
          @starts = 0
          @retired = false
        end

        def workers = [@current, @successor, *@leaving].compact

        # A free row of the scoreboard; nil when too many workers are still leaving.
        def row
          (0...Scoreboards::ROWS).find { |row| workers.none? { |worker| worker.row == row } }
        end

        def assign(worker, successor: false)
          @starts += 1
          if successor
            @successor = worker
          else
            @current = worker
            @due = nil
          end
        end

        def accepting?(now) = !!@current&.ready? && @current.responsive?(now)

        def serving?(now) = !@retired && accepting?(now)

        def vacant? = !@due.nil? && @current.nil? && @successor.nil? && !@retired

        def wait(time)
          @due &&= time
          nil
        end

        # The successor serves. Returns the worker that did, which is to leave.
        def promote
          old = @current
          @current = @successor
          @successor = nil
          @forker = @current.forker
          @due = nil
          @leaving << old if old
          old
        end

        # The one that serves is to leave, and there is no other yet.
        def vacate(now)
          @leaving << @current
          @current = nil
          @due = now
        end

        # Returns its role: :current, :successor or :leaving.
        def remove(worker)
          if worker.equal?(@current)
            @current = nil
            :current
          elsif worker.equal?(@successor)
            @successor = nil
            :successor
          else
            @leaving.delete(worker)
            :leaving
          end
        end

        def note_exit(how, worker)
          @last_exit = {pid: how.pid, signal: how.signal, status: how.status, reason: worker.reason,
                        state: worker.state, at: Time.now.to_f}
        end

        # :booting, :ready, :draining, :waiting (for its next worker) or :retired.
        def state
          return :retired if @retired

          @current&.state || (@leaving.any? ? :draining : :waiting)
        end
      end
    end
  end
end
