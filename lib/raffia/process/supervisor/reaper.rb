# frozen_string_literal: true

module Raffia
  module Process
    class Supervisor
      # Collects processes that have ended.
      #
      # @api private
      module Reaper
        def self.ended(pids)
          pids.each_with_object({}) do |pid, ended|
            found, status = ::Process.wait2(pid, ::Process::WNOHANG)
            ended[pid] = Exit.from(pid, status) if found
          rescue Errno::ECHILD
            ended[pid] = Exit.from(pid, nil) # reaped elsewhere
          end
        end

        def self.await(pid)
          ::Process.wait(pid)
        rescue Errno::ECHILD
          nil
        end

        # All children that have ended: a subreaper must reap any orphan.
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
