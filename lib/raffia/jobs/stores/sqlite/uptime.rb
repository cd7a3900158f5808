# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class SQLite < SQL
        # A clock that nobody can set, that runs during suspension, and that all processes share.
        # @api private
        module Uptime
          CLOCK = if ::Process.const_defined?(:CLOCK_BOOTTIME)
            ::Process::CLOCK_BOOTTIME
          else
            ::Process::CLOCK_MONOTONIC
          end
          BOOT_ID = "/proc/sys/kernel/random/boot_id"

          def self.now = ::Process.clock_gettime(CLOCK)

          # A new number after each restart of the machine; 0 where the system has none.
          def self.boot
            File.read(BOOT_ID).delete("-").to_i(16) & (2**62 - 1)
          rescue SystemCallError
            0
          end
        end
      end
    end
  end
end
