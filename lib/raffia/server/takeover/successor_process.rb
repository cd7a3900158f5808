# frozen_string_literal: true

require_relative "../../process/boot_priority"
require_relative "../../process/supervisor/reaper"

module Raffia
  class Server
    module Takeover
      # The process of a successor that this server has started itself (USR2), until it ends.
      #
      # @api private
      class SuccessorProcess
        # `command`: a {StartCommand}, or nil.
        def initialize(command, log)
          @command = command
          @log = log
          @pid = nil
        end

        def possible? = !@command.nil?

        def runs? = !@pid.nil?

        def start
          @pid, @priority = Process::BootPriority.spawn { @command.spawn }
          @log.info("starts its successor, process #{@pid}: #{@command.words.join(" ")}")
        rescue SystemCallError => error
          @log.error("USR2: the new server cannot be started: #{error.message}")
        end

        # The priority that this process is to have in the end; nil: it has that.
        def priority_of(pid) = (@priority if pid == @pid)

        # `ended`: exits by pid. `expected`: it has taken over.
        def note_exit(ended, expected:)
          return unless @pid

          how = ended[@pid] || Process::Supervisor::Reaper.ended([@pid])[@pid] or return
          unless expected
            @log.error("process #{@pid}, which was to take over, " \
              "#{how.signal ? "was killed by #{how.signal}" : "ended with #{how.status.inspect}"}")
          end
          @pid = nil
        end
      end
    end
  end
end
