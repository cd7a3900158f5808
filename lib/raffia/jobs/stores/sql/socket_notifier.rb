# frozen_string_literal: true

require "securerandom"
require_relative "wake_socket"

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        # Each wait has a {WakeSocket} in a folder, and commits of jobs notify all sockets there.
        # The wait then asks the database. A socket outlives its wait, so notifications between two
        # waits are not lost. The subclass of a database has `folder`, `make_folder` and `mode` of
        # a socket.
        class SocketNotifier < Store::Notifier
          # Seconds between polls when no socket can be made.
          POLL = 0.5
          CLAIMABLE = SQL::Claims::SUSPECT.sub("priority >=", "priority <").freeze

          needs :database, :schedule, :address

          def initialize(...)
            super
            @folder = folder
            reset
          end

          def wait(queues, timeout: nil)
            deadline = timeout && Clock.now + timeout
            with_socket do |socket|
              until socket.interrupted? || (due = seconds_until_due(queues)) == 0
                pause = [due, deadline && deadline - Clock.now, poll].compact.min
                break if pause && pause <= 0

                socket.wait(pause)
              end
            end
            nil
          end

          def interrupt
            @lock.synchronize do
              @interrupted = @busy.empty?
              @busy.each(&:interrupt)
            end
            nil
          end

          # Wakes all waits, of any process.
          def notify
            Dir.each_child(@folder) do |name|
              unless name.start_with?(WakeSocket::UNREADY)
                WakeSocket.notify(File.join(@folder, name))
              end
            end
          rescue SystemCallError
            nil # no process has waited yet
          end

          def close = @lock.synchronize { [*@idle, *@busy].each(&:close) }

          # Closes the parent's sockets, in a child.
          def after_fork
            [*@idle, *@busy].each(&:discard)
            reset
          end

          private

          # Seconds between polls, nil when sockets suffice.
          def poll = (POLL if @polls)

          def reset
            @lock = Thread::Mutex.new
            @idle = []
            @busy = []
            @interrupted = false
            @polls = false
          end

          # Seconds, nil when nothing is due ever.
          def seconds_until_due(queues)
            @database.read { |db| db.rows(CLAIMABLE, queues).any? ? 0 : @schedule.next_work(db) }
          end

          def with_socket
            socket = @lock.synchronize { take_socket }
            yield socket
          ensure
            @lock.synchronize { @idle << socket if @busy.delete(socket) } if socket
          end

          def take_socket
            socket = @idle.pop || make_socket
            socket.begin(@interrupted)
            @interrupted = false
            @busy << socket
            socket
          end

          def make_socket
            make_folder
            name = "#{::Process.pid}-#{SecureRandom.hex(4)}"
            WakeSocket.new(File.join(@folder, name), mode)
          rescue SystemCallError, ArgumentError
            @polls = true
            WakeSocket.new(nil)
          end
        end
      end
    end
  end
end
