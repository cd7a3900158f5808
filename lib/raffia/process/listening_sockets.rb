# frozen_string_literal: true

require "socket"

module Raffia
  module Process
    # Closes the parent's listening sockets in a child that outlives it: they would keep the ports,
    # and let clients wait for a process that has ended.
    #
    # @api private
    module ListeningSockets
      module_function

      def close
        ::ObjectSpace.each_object(::BasicSocket).to_a
          .each { |socket| socket.close if listening?(socket) }
        nil
      end

      def listening?(socket)
        !socket.closed? && socket.getsockopt(:SOCKET, :ACCEPTCONN).bool
      rescue SystemCallError, IOError
        false # it was not opened yet
      end
    end
  end
end
