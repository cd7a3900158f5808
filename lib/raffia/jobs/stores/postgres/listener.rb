# frozen_string_literal: true

require_relative "../../../base/clock"
require_relative "../../../base/fork"
require_relative "ear"

module Raffia
  module Jobs
    module Stores
      class Postgres < SQL
        # Waits until something is said on a channel. There is one connection for all who wait: one
        # of them reads it, tells the others, and leaves the reading to them when it goes. What is
        # said while nobody waits for it is kept for the next who does.
        # @api private
        class Listener
          # One who waits.
          Waiter = Struct.new(:channels, :woken, :look)
          private_constant :Waiter

          # @param look [Float, nil] longest wait in seconds; nil: as it suits
          # @yieldreturn [Driver, nil] a connection that can listen; nil: such a one cannot be had
          #   here
          def initialize(look, &connect)
            @look = look
            @connect = connect
            reset
            @fork = Fork.after_child { disown }
          end

          # @param channels [Array<String>]
          # @param timeout [Numeric, nil] seconds
          # @yieldreturn [Boolean] whether there is something to do: asked when something may have
          #   been said before we listened
          # @return [void]
          def wait(channels, timeout, &look)
            start = now
            waiter = enter(channels, look)
            until waiter.woken || (left = start + [timeout, longest].compact.min - now) <= 0
              turn(waiter, left)
            end
          ensure
            leave(waiter)
          end

          # Ends all waits; when there is none, the next one.
          # @return [void]
          def interrupt
            @lock.synchronize do
              @interrupted = true if @waiters.empty?
              @waiters.each { |waiter| waiter.woken = true }
              @changed.broadcast
            end
            @ear.poke
          end

          # @return [void]
          def close
            @fork.remove
            interrupt
            @ear.close
          end

          private

          def now = Clock.now

          def longest = @look || (@ear.open? ? 5 : 1)

          def reset
            @lock = ::Mutex.new
            @changed = ::ConditionVariable.new
            @waiters = []
            @heard = {}
            @reading = @interrupted = false
            @ear = Ear.new(&@connect)
          end

          def disown
            @ear.disown
            reset
          end

          def enter(channels, look)
            @lock.synchronize do
              waiter = Waiter.new(channels, @interrupted ||
                channels.any? { |channel| @heard.key?(channel) }, look)
              @interrupted = false
              channels.each { |channel| @heard.delete(channel) }
              @waiters << waiter
              @ear.poke unless @ear.listens?(channels)
              waiter
            end
          end

          def leave(waiter)
            @lock.synchronize do
              @waiters.delete(waiter)
              @changed.broadcast # one of them reads from now on
            end
          end

          # To read, or to be told by who does.
          def turn(waiter, left)
            return unless reader?(waiter, left)

            begin
              said = @ear.hear(wanted, left) || looked
            ensure
              tell(said || [])
            end
          end

          def reader?(waiter, left)
            @lock.synchronize do
              return false if waiter.woken
              return @reading = true unless @reading

              @changed.wait(@lock, left)
              false
            end
          end

          # @return [Array<String>] channels of those who have something to do
          def looked
            @lock.synchronize { @waiters.dup }.select { |one| one.look.call }.flat_map(&:channels)
          end

          def wanted = @lock.synchronize { @waiters.flat_map(&:channels).uniq }

          # @param said [Array<String>] channels
          def tell(said)
            @lock.synchronize do
              @reading = false
              @waiters.each { |waiter| waiter.woken ||= waiter.channels.intersect?(said) }
              (said - @waiters.flat_map(&:channels)).each { |channel| @heard[channel] = true }
              @changed.broadcast
            end
          end
        end
      end
    end
  end
end
