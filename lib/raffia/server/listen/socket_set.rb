# frozen_string_literal: true

require "socket"

module Raffia
  class Server
    module Listen
      # Listening sockets that an earlier server has opened, each by its {Key}. Listeners take
      # those of their addresses.
      #
      # @api private
      class SocketSet
        # scope:: "serve", "metrics" or "control"
        # unit:: number of the worker, or of the Ractor, counted through all processes
        # bind:: the address as text, see {Bind#to_s}
        # position:: among the sockets of this address
        Key = ::Data.define(:scope, :unit, :bind, :position) do
          # From JSON; Raises ArgumentError or KeyError.
          def self.from(row) = new(*row.zip([String, Integer, String, Integer])
            .map { |value, type| value.is_a?(type) ? value : raise(ArgumentError, row.inspect) })

          def to_row = [scope, unit, bind, position]
        end

        attr_reader :taken

        # `sockets`: by key.
        def initialize(sockets = {})
          @sockets = sockets
          @taken = []
        end

        # Workers, or Ractors, that had sockets of their own.
        def units = (@sockets.keys + @taken).select { |key| key.scope == "serve" }
          .map(&:unit).max.then { |last| last ? last + 1 : 0 }

        # Sockets of an address, by position. They belong to the caller then.
        def take(scope, unit, bind)
          keys = @sockets.keys.select { |key|
            key.scope == scope && key.unit == unit && key.bind == bind.to_s
          }
          @taken.concat(keys)
          keys.sort_by(&:position).map { |key| typed(@sockets.delete(key)) }
        end

        # Closes those that nobody took.
        def close
          @sockets.each_value(&:close)
          @sockets.clear
        end

        private

        def typed(socket)
          address = socket.local_address
          type = address.unix? ? UNIXServer : TCPServer
          return socket if socket.instance_of?(type)

          socket.autoclose = false
          type.for_fd(socket.fileno).tap { |server| server.close_on_exec = true }
        end
      end
    end
  end
end
