# frozen_string_literal: true

module Raffia
  module Lab
    module Report
      # A file that a report goes to. Whether it can be written is found out before the work, not
      # after minutes of it.
      class Target
        # @param path [String]
        # @raise [ConfigError] when it cannot be written
        def initialize(path)
          @path = path
          probe
        rescue SystemCallError => error
          raise ConfigError, "#{path} cannot be written: #{error.message[/\A[^@]+/].strip}. Name " \
            "a file in a folder that you may write to"
        end

        # @param text [String]
        # @return [void]
        def write(text) = File.write(@path, text)

        private

        # Opening is the one true test: permissions do not tell of read-only disks, and root has
        # them all.
        def probe
          existed = File.exist?(@path)
          File.open(@path, "a") { nil }
          File.delete(@path) unless existed
        end
      end
    end
  end
end
