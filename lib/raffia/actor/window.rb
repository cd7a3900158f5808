# frozen_string_literal: true

require "json"
require "tmpdir"

module Raffia
  class Actor
    # A Unix socket that shows the actors of this process, as a line of JSON, to each who connects;
    # nothing can be said to it. It is in a folder of the user's own, so nobody else can.
    class Window
      # Seconds that whoever looks may take to read.
      PATIENCE = 5
      # Actors without a supervisor that are shown.
      LIMIT = 1_000
      private_constant :PATIENCE, :LIMIT

      class << self
        # @return [Window] this process's
        # @api private
        def open
          holder = RactorLocal.fetch(:raffia_actor_window) { Holder.new }
          holder.window
        end

        # When the process was started with RAFFIA_TOP=on. A program works without being looked at,
        # too.
        # @return [void]
        # @api private
        def open_on_request
          open if RactorLocal.main? && Raffia.config.top == :on
        rescue Error, SystemCallError, ArgumentError => error
          Actor.log.warn("raffia top will not see this process: #{error.message}")
        end

        # @return [String] the folder with the sockets, which belongs to this user alone
        # @raise [ConfigError]
        # @api private
        def folder
          base = Raffia.config.runtime_dir
          path = if base
            ::File.join(base, "raffia")
          else
            ::File.join(::Dir.tmpdir, "raffia-#{::Process.uid}")
          end
          make(path)
          stat = ::File.lstat(path)
          return path if stat.directory? && stat.uid == ::Process.uid && (stat.mode & 0o077).zero?

          raise ConfigError, "#{path} is no folder that only you can use: remove it, or set " \
            "XDG_RUNTIME_DIR to one"
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
            @lock = Thread::Mutex.new
            @window = nil
          end
        end

        # @return [Window]
        def window
          @lock.synchronize do
            if @window && !@window.closed?
              @window
            else
              @window = Window.new(::File.join(Window.folder, "#{::Process.pid}.sock"))
            end
          end
        end
      end
      private_constant :Holder

      # @return [String]
      attr_reader :path

      # @api private
      def initialize(path)
        @path = path
        @acceptor = Remote::Acceptor.new(Remote::Address.new("unix://#{path}"))
        Remote::Processes::Beside.call { @acceptor.run { |client| show(client) } }
      end

      # @return [Boolean]
      def closed? = @acceptor.closed?

      # @return [void]
      def close = @acceptor.close

      # @return [Hash]
      # @api private
      def view
        tree = Tree.new(LIMIT)
        {pid: ::Process.pid, program: program, version: VERSION, at: Time.now.utc.iso8601(3),
         actors: tree.size, left_out: tree.left_out, tree: tree.to_a}
      end

      private

      # A program may call itself anything, also what is no text.
      def program
        $PROGRAM_NAME.encode(::Encoding::UTF_8, invalid: :replace, undef: :replace).scrub
      end

      def show(client)
        client.timeout = PATIENCE if client.respond_to?(:timeout=) # JRuby's have none
        client.write(::JSON.generate(view, max_nesting: false), "\n")
      rescue SystemCallError, IOError
        nil # has gone, or does not read
      rescue => error
        Actor.log_error("the actors cannot be shown", error)
      ensure
        client.close
      end
    end
  end
end
