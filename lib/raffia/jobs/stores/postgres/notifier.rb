# frozen_string_literal: true

require_relative "listen_connection"

module Raffia
  module Jobs
    module Stores
      class Postgres < SQL
        # All waits share one connection. One of them reads it, tells the others, and leaves the
        # reading to them when it ends. Notifications that no wait wants are kept.
        class Notifier < Store::Notifier
          # Seconds of the longest wait, with LISTEN and without.
          LONGEST = 5
          POLL = 1
          SOMETHING = "SELECT EXISTS (SELECT FROM {jobs} WHERE state = 'queue' " \
            "AND queue {names $1} AND priority < #{Store::SUSPECTS}) OR EXISTS (SELECT " \
            "FROM {jobs} WHERE state IN ('scheduled', 'retry'))"
          Wait = Struct.new(:queues, :channels, :over)

          # `poll` is the longest wait in seconds; nil is {LONGEST} or {POLL}.
          needs :database, :rate_admission, :poll

          def initialize(...)
            super
            reset
            @fork = Fork.after_child { after_fork }
          end

          def wait(queues, timeout: nil)
            start = Clock.now
            wait = enter(queues)
            until wait.over || (left = start + [timeout, longest].compact.min - Clock.now) <= 0 ||
                (look = seconds_until_look) == 0
              read_or_wait(wait, [left, look].compact.min)
            end
          ensure
            leave(wait)
          end

          def interrupt
            @lock.synchronize do
              @interrupted = true if @waits.empty?
              @waits.each { |wait| wait.over = true }
              @changed.broadcast
            end
            @connection.interrupt
          end

          def close
            @fork.remove
            interrupt
            @connection.close
          end

          private

          # Nil when this process knows of no rate that blocks jobs. Others may have opened it.
          def seconds_until_look
            if @rate_admission.seconds_until_look == 0
              @database.read { |db| @rate_admission.next_opening(db) }
            end
            @rate_admission.seconds_until_look
          rescue StoreUnavailable
            0
          end

          def longest = @poll || (@connection.open? ? LONGEST : POLL)

          def reset
            @lock = ::Mutex.new
            @changed = ::ConditionVariable.new
            @waits = []
            @pending = {}
            @reading = @interrupted = false
            @connection = ListenConnection.new { @database.listener }
          end

          def after_fork
            @connection.disown
            reset
          end

          def enter(queues)
            channels = @database.dialect.channels(queues)
            @lock.synchronize do
              over = @interrupted || channels.any? { |channel| @pending.key?(channel) }
              @interrupted = false
              channels.each { |channel| @pending.delete(channel) }
              @waits << wait = Wait.new(queues, channels, over)
              @connection.interrupt unless @connection.listens?(channels)
              wait
            end
          end

          def leave(wait)
            @lock.synchronize do
              @waits.delete_if { |one| one.equal?(wait) }
              @changed.broadcast # another wait reads from now on
            end
          end

          def read_or_wait(wait, left)
            return unless reads?(wait, left)

            begin
              channels = @connection.read(wanted, left) || channels_with_work
            ensure
              notify(channels || [])
            end
          end

          # Whether this wait reads; otherwise it has waited for the one that does.
          def reads?(wait, left)
            @lock.synchronize do
              return false if wait.over
              return @reading = true unless @reading

              @changed.wait(@lock, left)
              false
            end
          end

          # Channels of waits with something to do.
          def channels_with_work
            @lock.synchronize { @waits.dup }.select { |wait| work?(wait.queues) }
              .flat_map(&:channels)
          end

          # The wait's next operation reports what is wrong.
          def work?(queues)
            @database.read { |db| db.rows(SOMETHING, queues) }[0][0]
          rescue StoreUnavailable
            true
          end

          def wanted = @lock.synchronize { @waits.flat_map(&:channels).uniq }

          def notify(channels)
            @lock.synchronize do
              @reading = false
              @waits.each { |wait| wait.over ||= wait.channels.intersect?(channels) }
              (channels - @waits.flat_map(&:channels)).each { |channel| @pending[channel] = true }
              @changed.broadcast
            end
          end
        end
      end
    end
  end
end
