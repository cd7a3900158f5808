# frozen_string_literal: true

require "json"
require "tmpdir"
require_relative "introspection_socket/config"

module Raffia
  class Actor
    # Unix socket that sends the actors of this process, as a line of JSON, to each client.
    #
    # It reads nothing. Its folder belongs to the user alone.
    class IntrospectionSocket
      # Seconds that a client may take to read.
      WRITE_TIMEOUT = 5
      # Actors without a supervisor that are shown.
      LIMIT = 1_000
      private_constant :WRITE_TIMEOUT, :LIMIT

      class << self
        # The one of this process.
        # @api private
        def open
          holder = RactorLocal.fetch(:raffia_actor_introspection) { Holder.new }
          holder.socket
        end

        # Opens it when the process was started with RAFFIA_TOP=on. A program runs without it, too.
        # @api private
        def open_on_request
          open if RactorLocal.main? && Config.load.top == :on
        rescue Error, SystemCallError, ArgumentError => error
          Actor.log.warn("raffia top will not see this process: #{error.message}")
        end

        # The folder with the sockets, which belongs to this user alone.
        # @api private
        def folder
          base = Config.load.runtime_dir
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
          nil # by another process
        end
      end

      # Holds the one socket of a process. A forked child has none until it asks for one.
      #
      # @api private
      class Holder
        def initialize
          @lock = Thread::Mutex.new
          Fork.after_child do
            @lock = Thread::Mutex.new
            @socket = nil
          end
        end

        def socket
          @lock.synchronize { (@socket && !@socket.closed?) ? @socket : @socket = open }
        end

        private

        def open
          folder = IntrospectionSocket.folder
          IntrospectionSocket.new(::File.join(folder, "#{::Process.pid}.sock"))
        end
      end
      private_constant :Holder

      # @return [String]
      attr_reader :path

      # @api private
      def initialize(path)
        @path = path
        @acceptor = Remote::Acceptor.new(Remote::Address.new("unix://#{path}"))
        Remote::BackgroundThreads.run { @acceptor.run { |client| show(client) } }
      end

      # @return [Boolean]
      def closed? = @acceptor.closed?

      # Removes the socket's file, too.
      def close = @acceptor.close

      # @api private
      def view
        tree = Tree.new(LIMIT)
        {pid: ::Process.pid, program: program, version: VERSION, at: Time.now.utc.iso8601(3),
         actors: tree.size, left_out: tree.left_out, tree: tree.to_a}
      end

      private

      # A program's name may be in any encoding.
      def program
        $PROGRAM_NAME.encode(::Encoding::UTF_8, invalid: :replace, undef: :replace).scrub
      end

      def show(client)
        client.timeout = WRITE_TIMEOUT if client.respond_to?(:timeout=) # JRuby's have none
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
