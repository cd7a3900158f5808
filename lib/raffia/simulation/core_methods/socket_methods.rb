# frozen_string_literal: true

require "socket"

module Raffia
  module Simulation
    module CoreMethods
      # Sockets whose peer resets the connection, and those for which no descriptor is left.
      #
      # @api private
      module SocketMethods
        # They begin with a length, which may become shorter.
        SHORT = %i[read_nonblock recv recv_nonblock].freeze
        OTHER = %i[read readpartial sysread gets readline write syswrite send sendmsg].freeze
        private_constant :SHORT, :OTHER

        # Opening takes a descriptor.
        module OpenMethods
          def initialize(...)
            World.current&.faults&.system_call("#{self.class}.open", ::Errno::EMFILE)
            super
          end
        end

        def self.install
          ::BasicSocket.prepend(self)
          [::Socket, ::TCPSocket, ::TCPServer, ::UDPSocket, ::UNIXSocket, ::UNIXServer]
            .each { |type| type.prepend(OpenMethods) }
        end

        # A connection that was reset is over for both sides.
        def self.visit(socket, name)
          World.current&.faults&.system_call("BasicSocket##{name}", ::Errno::ECONNRESET)
        rescue ::Errno::ECONNRESET
          begin
            endpoint = NetworkMethods.endpoint(socket)
            endpoint ? endpoint.break : socket.shutdown
          rescue ::SystemCallError, ::IOError
            nil # it was not connected
          end
          raise
        end

        OTHER.each do |name|
          define_method(name) do |*arguments, **options|
            SocketMethods.visit(self, name)
            super(*arguments, **options)
          end
        end

        SHORT.each do |name|
          define_method(name) do |length, *arguments, **options|
            SocketMethods.visit(self, name)
            super(StreamMethods.bytes(length, "BasicSocket##{name}"), *arguments, **options)
          end
        end

        def write_nonblock(string, **options)
          SocketMethods.visit(self, :write_nonblock)
          super(StreamMethods.part(string, "BasicSocket#write_nonblock"), **options)
        end
      end
    end
  end
end
