# frozen_string_literal: true

require "socket"

module Raffia
  module Simulation
    class Network
      # A nonblocking socket of the kernel, in the UNIX domain. It calls the original methods of
      # Ruby: those that a world replaces, and its faults, are for programs.
      #
      # @api private
      class KernelSocket
        ORIGINAL = {
          ::IO => %i[close], ::Socket => %i[initialize bind listen connect_nonblock accept_nonblock],
          ::BasicSocket => %i[setsockopt read_nonblock write_nonblock close_write getsockname
            getpeername sendmsg_nonblock shutdown]
        }.flat_map { |owner, names| names.map { |name| [name, owner.instance_method(name)] } }
          .to_h.freeze
        private_constant :ORIGINAL

        # Calls one of Ruby's original methods.
        def self.call(name, io, ...) = ORIGINAL[name].bind_call(io, ...)

        def self.open(type = ::Socket::SOCK_STREAM)
          io = ::Socket.allocate
          call(:initialize, io, :UNIX, type | ::Socket::SOCK_NONBLOCK)
          new(io)
        end

        attr_reader :io
        alias_method :to_io, :io

        def initialize(io)
          @io = io
          @number = io.stat.ino
          io.instance_variable_set(Endpoint::VARIABLE, false)
        end

        # The same socket as a program's object, whose descriptor it does not close.
        def self.of(io)
          same = ::Socket.for_fd(io.fileno)
          same.autoclose = false
          new(same)
        end

        # Whether the descriptor is still this socket: programs close theirs.
        def open?
          @io.stat.ino == @number
        rescue ::SystemCallError, ::IOError
          false
        end

        # Ends the socket although objects of a program may still have the descriptor.
        def disconnect
          return unless open?

          other = KernelSocket.open
          @io.reopen(other.io)
          other.close
        end

        def bind(address) = call(:bind, address)

        def listen(backlog) = call(:listen, backlog)

        def connect(address) = call(:connect_nonblock, address)

        def accept = KernelSocket.new(call(:accept_nonblock).first)

        # :wait_readable for none, nil at the end.
        def read(size) = call(:read_nonblock, size, exception: false)

        # The number of bytes, or :wait_writable.
        def write(bytes) = call(:write_nonblock, bytes, exception: false)

        # Sends a datagram. :full: the receiver has no room for it.
        def send_to(bytes, address)
          call(:sendmsg_nonblock, bytes, 0, address)
        rescue ::IO::WaitWritable, ::Errno::ENOBUFS
          :full
        rescue ::SystemCallError
          :lost # the receiver is closed
        end

        def close_write = call(:close_write)

        def shutdown = call(:shutdown)

        def buffer=(size)
          call(:setsockopt, :SOCKET, :SNDBUF, size)
        end

        def close = @io.close

        # Leaves the descriptor to another object.
        def release
          @io.autoclose = false
          @io.fileno
        end

        private

        def call(name, ...) = KernelSocket.call(name, @io, ...)
      end
    end
  end
end
