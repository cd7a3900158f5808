# frozen_string_literal: true

require_relative "../process/watchdog"
require_relative "file_watcher"

module Raffia
  class Server
    # Replaces the workers when files of the application change (`watch`). Requests wait meanwhile,
    # and code that does not load is served as an error until a file changes.
    #
    # @api private
    class CodeReload
      # Seconds that requests wait at most, and between two looks at the files that are loaded.
      PAUSE = 10
      LOOK = 1
      # Messages to the supervisor and to workers.
      LOADED_MESSAGE = "loaded"
      PAUSE_MESSAGE = "pause"
      private_constant :PAUSE, :LOOK, :LOADED_MESSAGE, :PAUSE_MESSAGE

      def initialize(log)
        @log = log
      end

      # In the supervisor's process.
      def watch(supervisor)
        pause = -> { supervisor.broadcast(PAUSE_MESSAGE, PAUSE) }
        @watcher = FileWatcher.new(::Dir.pwd, noticed: pause, log: @log) do
          @log.info("files have changed: the application is loaded again")
          supervisor.restart
        end
      end

      # A message of a worker. Returns whether it was for this object.
      def receive(name, data) = (name == LOADED_MESSAGE).tap { |mine| @watcher&.add(data) if mine }

      def stop = @watcher&.stop

      # Returns the application of the block, or one that raises what the block has raised.
      def load
        yield
      rescue ::ScriptError, ::StandardError => error
        @log.error("the application does not load: #{Log.full(error)}")
        ->(_) { raise error }
      end

      # In a worker, for the time of the block: tells the supervisor which files are loaded.
      def report(context)
        loaded = FileWatcher::LoadedFolders.new(::Dir.pwd) do |folders|
          context.send(LOADED_MESSAGE, folders)
        end
        reports = Process::Watchdog.new(LOOK) { loaded.report }
        yield
      ensure
        reports&.close
      end

      # In a worker that can wait.
      def prepare(context, worker)
        context.on_message(PAUSE_MESSAGE) { |seconds| worker.pause(seconds) }
      end
    end
  end
end
