# frozen_string_literal: true

require_relative "../process/watchdog"
require_relative "file_watcher/inotify"
require_relative "file_watcher/polling"

module Raffia
  class Server
    # Calls a block when source files below a folder have changed, looking ten times a second.
    #
    # Editors write a file by several operations, and a checkout changes many files: the block is
    # called once they have been quiet for {QUIET} seconds.
    #
    # @api private
    class FileWatcher
      QUIET = 0.1
      # Folders without the application's source, at any depth.
      SKIPPED = %w[node_modules log storage coverage vendor public].freeze
      SOURCE = /\.(?:rb|ru|yml|yaml)\z|\AGemfile\.lock\z|\Arestart\.txt\z/
      private_constant :QUIET, :SKIPPED, :SOURCE

      def self.source?(name) = SOURCE.match?(name)

      # All folders to watch. Rails reloads `app` by itself. Of `tmp` only the folder counts, for
      # restart.txt.
      def self.folders(root)
        rails = ::File.exist?(::File.join(root, "config/application.rb"))
        found = [root]
        found.each do |folder|
          next if folder == ::File.join(root, "tmp")

          ::Dir.children(folder).each do |name|
            path = ::File.join(folder, name)
            next if name.start_with?(".") || SKIPPED.include?(name)
            next if (rails && path == ::File.join(root, "app")) || ::File.symlink?(path)

            found << path if ::File.directory?(path)
          end
        rescue SystemCallError
          next # it was removed just now
        end
      end

      def initialize(root, &changed)
        @root = root
        @changed = changed
        @source = Inotify.open || Polling.new
        @source.begin(self.class.folders(root))
        @pending = false
        @timer = Process::Watchdog.new(QUIET) { check }
      end

      def stop
        @timer.close
        @source.close
      end

      private

      def check
        return @pending = true if @source.changed?
        return unless @pending

        @pending = false
        @source.begin(self.class.folders(@root)) # those that are new
        @changed.call
      end
    end
  end
end
