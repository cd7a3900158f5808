# frozen_string_literal: true

require "rbconfig"

module Raffia
  class Server
    class FileWatcher
      # Finds folders from which a worker has loaded files, wherever they are: gems that the
      # application has by a path, links, `vendor`. Those of installed gems and of Ruby are no
      # source of the application, and {FileWatcher.folders} are watched anyway.
      #
      # @api private
      class LoadedFolders
        # Folders in a message.
        SLICE = 100
        FOREIGN = [RbConfig::CONFIG["rubylibprefix"], ::File.expand_path("../../..", __dir__)].freeze
        private_constant :SLICE, :FOREIGN

        # The block gets folders that were not there before, some at a time.
        def initialize(root, foreign: FOREIGN + ::Gem.path, &found)
          @root = root
          @foreign = [*foreign, *FileWatcher.reloaded(root)].map { |folder| "#{folder}/" }
          @found = found
          @known = {}
          @count = 0
        end

        # Called again and again, because files are loaded when they are needed.
        def report
          return if $LOADED_FEATURES.size == @count

          @count = $LOADED_FEATURES.size
          folders = own($LOADED_FEATURES).uniq.reject { |folder| @known.key?(folder) }
          folders.each { |folder| @known[folder] = true }
          (folders - FileWatcher.folders(@root)).each_slice(SLICE, &@found)
        end

        private

        # Features of Ruby itself have names such as thread.rb.
        def own(features)
          features.filter_map do |path|
            ::File.dirname(path) if path.start_with?("/") && path.end_with?(".rb") &&
              !path.start_with?(*@foreign)
          end
        end
      end
    end
  end
end
