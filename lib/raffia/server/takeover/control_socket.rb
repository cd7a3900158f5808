# frozen_string_literal: true

require "socket"
require "tmpdir"
require "zlib"
require_relative "../../process/supervisor/message_channel"
require_relative "../config"
require_relative "../error"

module Raffia
  class Server
    module Takeover
      # The Unix socket (SEQPACKET, mode 0600) at which a server is asked to give up its sockets.
      # Only the same user and root may.
      #
      # @api private
      class ControlSocket
        BACKLOG = 8
        # Bytes of a path, see unix(7).
        LONGEST = 107
        AUTO = "auto"
        private_constant :BACKLOG, :LONGEST, :AUTO

        class << self
          # The path of the setting `control`, or nil. By default, servers of the same user and
          # first address have the same one.
          def path(options)
            return options.control&.delete_prefix("unix://") unless options.control == AUTO

            bind = options.binds.first
            return if bind.port&.zero?

            path = ::File.join(directory, "#{Zlib.crc32(bind.to_s).to_s(16)}.ctl")
            path if path.bytesize <= LONGEST
          end

          # Opens it, or takes the one of an earlier server. Raises CannotListen; with the default
          # path it returns nil instead.
          def open(options, given)
            path = path(options) or return
            socket = given.take("control", 0, "unix://#{path}").first
            socket ? new(path, socket, owner: nil) : new(path, listen(path))
          rescue SystemCallError => error
            return if options.control == AUTO

            raise CannotListen, "cannot listen on control #{path}: #{error.message}"
          end

          # A channel to the server that listens there; nil: there is none. Raises CannotListen
          # where that belongs to another user, whose sockets are not to be trusted, or cannot be
          # asked.
          def ask(path)
            channel = connect(path) or return
            user, = channel.to_io.getpeereid
            return channel if trusted?(user) || ::Process.euid.zero?

            channel.close
            raise CannotListen, "cannot take over: the server at #{path} is of user #{user}: " \
              "start this one as that user, or as root"
          rescue SystemCallError => error
            raise CannotListen, "cannot take over: no server can be asked at #{path}: " \
              "#{error.message}"
          end

          # Whether it is this user, or root.
          def trusted?(user) = [0, ::Process.euid].include?(user)

          def identity(path)
            stat = ::File.stat(path)
            [stat.dev, stat.ino]
          rescue SystemCallError
            nil
          end

          private

          # Belongs to this user alone.
          def directory
            given = Config.load.runtime_directory
            return given if given

            ::File.join(Dir.tmpdir, "raffia-#{::Process.uid}").tap do |path|
              Dir.mkdir(path, 0o700)
            rescue Errno::EEXIST
              stat = ::File.lstat(path)
              unless stat.directory? && stat.owned? && (stat.mode & 0o077).zero?
                raise Errno::EACCES, path
              end
            end
          end

          # Under a lock of the folder: of two servers that find a file without a server, only one
          # removes it.
          def listen(path)
            ::File.open(::File.dirname(path)) do |folder|
              folder.flock(::File::LOCK_EX)
              free(path)
              bind(path).tap { |socket| socket.listen(BACKLOG) }
            end
          end

          def free(path)
            channel = connect(path)
            raise Errno::EADDRINUSE, path if channel

            ::File.unlink(path) if ::File.socket?(path)
          ensure
            channel&.close
          end

          def connect(path)
            socket = ::Socket.new(:UNIX, :SEQPACKET)
            socket.connect(::Addrinfo.unix(path))
            Process::Supervisor::MessageChannel.new(socket)
          rescue Errno::ENOENT, Errno::ECONNREFUSED
            socket.close
            nil
          rescue SystemCallError
            socket.close
            raise
          end

          def bind(path)
            socket = ::Socket.new(:UNIX, :SEQPACKET)
            before = ::File.umask(0o177)
            socket.bind(::Addrinfo.unix(path))
            socket
          rescue SystemCallError
            socket.close
            raise
          ensure
            ::File.umask(before) if before
          end
        end

        attr_reader :path, :socket

        def initialize(path, socket, owner: ::Process.pid)
          @path = path
          @socket = socket
          @owner = owner
          @identity = ControlSocket.identity(path)
        end

        # The next client: a channel, and whether it may ask; nil: there is none.
        def accept
          client, = @socket.accept_nonblock(exception: false)
          return if client == :wait_readable

          user, = client.getpeereid
          [Process::Supervisor::MessageChannel.new(client), ControlSocket.trusted?(user)]
        rescue SystemCallError
          nil
        end

        def key = Listen::SocketSet::Key.new("control", 0, "unix://#{path}", 0)

        def own = @owner = ::Process.pid

        def disown = @owner = nil

        # Removes the file, unless another process owns it or has replaced it.
        def close
          @socket.close
          return unless @owner == ::Process.pid && ControlSocket.identity(@path) == @identity

          ::File.unlink(@path)
        rescue Errno::ENOENT
          nil
        end
      end
    end
  end
end
