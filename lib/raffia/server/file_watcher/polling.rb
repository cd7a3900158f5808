# frozen_string_literal: true

module Raffia
  class Server
    class FileWatcher
      # Changes of files by their times, once a second, where there is no inotify.
      #
      # @api private
      class Polling
        # Seconds.
        INTERVAL = 1
        private_constant :INTERVAL

        def initialize(interval = INTERVAL)
          @interval = interval
          @times = {}
          @looked = Clock.now
        end

        # Files that are known keep their times, so that no change is lost.
        def begin(folders)
          @folders = folders
          @times = times.merge(@times)
        end

        def changed?
          return false if Clock.now - @looked < @interval

          @looked = Clock.now
          before = @times
          @times = times
          before != @times
        end

        def close = nil

        private

        def times
          @folders.flat_map { |folder| times_in(folder) }.to_h
        end

        def times_in(folder)
          ::Dir.children(folder).filter_map do |name|
            path = ::File.join(folder, name)
            [path, ::File.mtime(path)] if FileWatcher.source?(name)
          rescue SystemCallError
            nil
          end
        rescue SystemCallError
          []
        end
      end
    end
  end
end
