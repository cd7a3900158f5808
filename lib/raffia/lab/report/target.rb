# frozen_string_literal: true

module Raffia
  module Lab
    module Report
      # A file for a report. It is opened before the work, so that a wrong name is not found out
      # minutes later.
      class Target
        # Raises ConfigError when it cannot be written.
        def initialize(path)
          @path = path
          probe
        rescue SystemCallError => error
          raise ConfigError, "#{path} cannot be written: #{error.message[/\A[^@]+/].strip}. Name " \
            "a file in a folder that you may write to"
        end

        def write(text) = File.write(@path, text)

        private

        # Only opening shows it: permissions do not know read-only disks, and root has them all.
        def probe
          existed = File.exist?(@path)
          File.open(@path, "a") { nil }
          File.delete(@path) unless existed
        end
      end
    end
  end
end
