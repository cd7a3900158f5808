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
          ::Socket => %i[initialize bind listen connect_nonblock accept_nonblock],
          ::BasicSocket => %i[setsockopt read_nonblock write_nonblock close_write getsockname
            getpeername]
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
          io.instance_variable_set(Endpoint::VARIABLE, false)
        end

        def bind(address) = call(:bind, address)

        def listen(backlog) = call(:listen, backlog)

        def connect(address) = call(:connect_nonblock, address)

        def accept = KernelSocket.new(call(:accept_nonblock).first)

        # :wait_readable for none, nil at the end.
        def read(size) = call(:read_nonblock, size, exception: false)

        # The number of bytes, or :wait_writable.
        def write(bytes) = call(:write_nonblock, bytes, exception: false)

        def close_write = call(:close_write)

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
