# frozen_string_literal: true

require_relative "../process/watchdog"
require_relative "file_watcher/inotify"
require_relative "file_watcher/loaded_folders"
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
      # Folders without the application's source, at any depth, but for those from which it has
      # loaded files.
      SKIPPED = %w[node_modules log storage coverage vendor public].freeze
      SOURCE = /\.(?:rb|ru|yml|yaml)\z|\AGemfile\.lock\z|\Arestart\.txt\z/
      private_constant :QUIET, :SKIPPED, :SOURCE

      def self.source?(name) = SOURCE.match?(name)

      # Whether a folder of this name may have sources.
      def self.folder?(name) = !name.start_with?(".") && !SKIPPED.include?(name)

      # All folders to watch. Of `tmp` only the folder counts, for restart.txt.
      def self.folders(root)
        found = [root]
        found.each do |folder|
          next if folder == ::File.join(root, "tmp")

          ::Dir.children(folder).each do |name|
            path = ::File.join(folder, name)
            next if !folder?(name) || path == reloaded(root) || ::File.symlink?(path)

            found << path if ::File.directory?(path)
          end
        rescue SystemCallError
          next # it was removed just now
        end
      end

      # The folder that Rails reloads by itself; nil: there is none.
      def self.reloaded(root)
        ::File.join(root, "app") if ::File.exist?(::File.join(root, "config/application.rb"))
      end

      # `noticed` is called for each change, before the block.
      def initialize(root, noticed: -> {}, log: nil, &changed)
        @root = root
        @noticed = noticed
        @changed = changed
        @log = log
        @loaded = []
        @lock = ::Thread::Mutex.new
        @source = Inotify.open || Polling.new
        look_at_all
        @pending = false
        @timer = Process::Watchdog.new(QUIET) { @lock.synchronize { check } }
      end

      # Further folders, see {LoadedFolders}. Safe in any thread.
      def add(folders)
        @lock.synchronize do
          next if (folders - @loaded).empty?

          @loaded |= folders
          look_at_all
        end
      end

      def stop
        @timer.close
        @source.close
      end

      private

      def check
        if @source.changed?
          @pending = true
          return @noticed.call
        end
        return unless @pending

        @pending = false
        look_at_all # some may be new
        @changed.call
      end

      def look_at_all
        @source.begin(self.class.folders(@root) | @loaded)
      rescue Errno::ENOSPC, Errno::ENOMEM => error
        @log&.warn("files are looked at once a second, because there are too many folders for " \
          "inotify: #{error.message}")
        @source.close
        @source = Polling.new
        retry
      end
    end
  end
end
