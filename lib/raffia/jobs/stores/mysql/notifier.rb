# frozen_string_literal: true

require "fileutils"
require_relative "../sql/socket_notifier"

module Raffia
  module Jobs
    module Stores
      class MySQL < SQL
        # Processes of one machine and user wake each other by sockets. Jobs from elsewhere, and
        # from transactions of applications, are found by polling: 0.1 s after a wait has begun, and
        # then at longer and longer intervals up to the address's `look`.
        class Notifier < SQL::SocketNotifier
          FIRST = 0.1

          def initialize(...)
            super
            @fork = Fork.after_child { after_fork }
          end

          # The wait's next operation reports what is wrong.
          def wait(queues, timeout: nil)
            @pause = FIRST
            super
          rescue StoreUnavailable
            nil
          end

          def close
            @fork.remove
            super
          end

          private

          def folder = @address.sockets

          def make_folder
            FileUtils.mkdir_p(@folder, mode: 0o700)
            stat = File.stat(@folder)
            raise Errno::EACCES, @folder unless stat.owned?
          end

          def mode = 0o600

          # Waits of several threads share the pause.
          def poll
            pause = @pause
            @pause = [pause * 2, @address.look].min
            [pause, @address.look].min
          end
        end
      end
    end
  end
end
