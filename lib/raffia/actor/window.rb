# frozen_string_literal: true

require "json"
require "socket"
require "tmpdir"

module Raffia
  class Actor
    # A Unix socket that shows the actors of this process, as a line of JSON, to each who connects; nothing can be said to it. It is in a
    # folder of the user's own, so nobody else can.
    class Window
      # Seconds that whoever looks may take to read.
      PATIENCE = 5
      # Actors without a supervisor that are shown.
      LIMIT = 1_000
      # Seconds until it is tried again when there are too many open files.
      PAUSE = 0.1
      private_constant :PATIENCE, :LIMIT, :PAUSE

      class << self
        # @return [Window] this process's
        # @api private
        def open
          holder = Local.fetch(:raffia_actor_window) { Holder.new }
          holder.window
        end

        # When the process was started with RAFFIA_TOP=on. A program works without being looked at, too.
        # @return [void]
        # @api private
        def open_on_request
          open if Local.main? && Raffia.config.top == :on
        rescue Error, SystemCallError, ArgumentError => error
          Actor.log.warn("raffia top will not see this process: #{error.message}")
        end

        # @return [String] the folder with the sockets, which belongs to this user alone
        # @raise [ConfigError]
        # @api private
        def folder
          base = Raffia.config.runtime_dir
          path = base ? ::File.join(base, "raffia") : ::File.join(::Dir.tmpdir, "raffia-#{::Process.uid}")
          make(path)
          stat = ::File.lstat(path)
          return path if stat.directory? && stat.uid == ::Process.uid && (stat.mode & 0o077).zero?

          raise ConfigError, "#{path} is no folder that only you can use: remove it, or set XDG_RUNTIME_DIR to one"
        end

        private

        def make(path)
          ::Dir.mkdir(path, 0o700) unless ::File.directory?(path)
        rescue Errno::EEXIST
          nil # another process was faster
        end
      end

      # The one window of a process; a forked child has none, until it wants one.
      #
      # @api private
      class Holder
        def initialize
          @lock = Thread::Mutex.new
          Fork.after_child do
            @window&.drop
            @lock = Thread::Mutex.new
            @window = nil
          end
        end

        # @return [Window]
        def window = @lock.synchronize { (@window && !@window.closed?) ? @window : @window = Window.new(::File.join(Window.folder, "#{::Process.pid}.sock")) }
      end
      private_constant :Holder

      # @return [String]
      attr_reader :path

      # @api private
      def initialize(path)
        @path = path
        ::File.delete(path) if ::File.socket?(path) # of a process that had this number before
        @server = ::UNIXServer.new(path)
        ::File.chmod(0o600, path)
        @pool = Pool.new(on: :threads, workers: 1, idle: nil)
        @pool.submit { serve }
      end

      # @return [Boolean]
      def closed? = @server.closed?

      # @return [void]
      def close
        return if closed?

        @server.close
        @pool.shutdown(PATIENCE)
        ::File.delete(@path) if ::File.socket?(@path)
      end

      # In a forked child: the socket is the parent's.
      # @return [void]
      # @api private
      def drop = @server.close

      # @return [Hash]
      # @api private
      def view
        tree = Tree.new(LIMIT)
        {pid: ::Process.pid, program: $PROGRAM_NAME, version: VERSION, at: Time.now.utc.iso8601(3), actors: tree.size, left_out: tree.left_out, tree: tree.to_a}
      end

      private

      def serve
        loop { show(@server.accept) }
      rescue IOError
        nil # closed
      rescue SystemCallError
        sleep(PAUSE) # no descriptor is free, or whoever wanted to look has gone
        retry unless closed?
      end

      def show(client)
        client.timeout = PATIENCE
        client.write(::JSON.generate(view), "\n")
      rescue SystemCallError, IOError
        nil # has gone, or does not read
      rescue => error
        Actor.complain("the actors cannot be shown", error)
      ensure
        client.close
      end
    end
  end
end
