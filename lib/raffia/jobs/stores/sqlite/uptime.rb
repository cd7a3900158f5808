# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class SQLite < SQL
        # A clock that nobody can set, that runs while the machine sleeps, and that all of its
        # processes share.
        # @api private
        module Uptime
          CLOCK = ::Process.const_defined?(:CLOCK_BOOTTIME) ? ::Process::CLOCK_BOOTTIME :
            ::Process::CLOCK_MONOTONIC
          BOOT_ID = "/proc/sys/kernel/random/boot_id"

          # @return [Float] seconds since the machine was started
          def self.now = ::Process.clock_gettime(CLOCK)

          # @return [Integer] another one each time that the machine is started; 0 where nobody says
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
