# frozen_string_literal: true

require_relative "../exit"

module Raffia
  module Process
    class Supervisor
      # Learns which processes have ended.
      #
      # @api private
      module Reaper
        # @param pids [Array<Integer>]
        # @return [Hash{Integer => Exit}] those of them that have ended
        def self.ended(pids)
          pids.each_with_object({}) do |pid, ended|
            found, status = ::Process.wait2(pid, ::Process::WNOHANG)
            ended[pid] = Exit.from(pid, status) if found
          rescue Errno::ECHILD
            ended[pid] = Exit.from(pid, nil) # reaped by somebody else
          end
        end

        # Waits for one.
        # @return [void]
        def self.await(pid)
          ::Process.wait(pid)
        rescue Errno::ECHILD
          nil
        end

        # All children that have ended, whoever they are: a process that gets orphans must reap
        # them.
        # @return [Hash{Integer => Exit}]
        def self.all_ended
          ended = {}
          while (pid, status = ::Process.wait2(-1, ::Process::WNOHANG))
            ended[pid] = Exit.from(pid, status)
          end
          ended
        rescue Errno::ECHILD
          ended
        end
      end
    end
  end
end
