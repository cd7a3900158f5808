# frozen_string_literal: true

require_relative "../error"
require_relative "../listen/socket_set"

module Raffia
  class Server
    module Takeover
      # The message with the old server's sockets, in parts: the kernel takes 253 descriptors at
      # once.
      #
      # @api private
      module Offer
        CHUNK = 200
        private_constant :CHUNK

        class << self
          # `sockets`: by key. `priority`: that the new server is to have when it serves; nil: it
          # has its own. Returns whether all were sent.
          def send(channel, sockets, priority = nil)
            parts = sockets.each_slice(CHUNK).to_a
            parts.each_with_index.all? do |part, index|
              channel.send(:offer, {pid: ::Process.pid, priority: priority,
                keys: part.map { |key, _| key.to_row }, last: index == parts.size - 1},
                part.map(&:last))
            end
          end

          # Waits. Returns the old server's pid, sockets by key, and the priority or nil. Raises
          # CannotListen.
          def receive(channel)
            sockets = {}
            nil until (pid, priority = receive_part(channel, sockets))
            [pid, sockets, priority]
          rescue
            sockets.each_value(&:close)
            raise
          end

          private

          # Returns pid and priority with the last part.
          def receive_part(channel, sockets)
            name, data, ios = (channel.receive if channel.to_io.wait_readable(ANSWER))
            return add(sockets, data, ios) if name == "offer"

            fail(ios, "the server at the control socket " \
              "#{data.is_a?(Hash) ? "refuses: #{data["reason"]}" : "gives no answer"}")
          end

          # The kernel drops descriptors for which this process has no number.
          def add(sockets, data, ios)
            unless data["keys"].size == ios.size
              fail(ios, "too few descriptors are free for its sockets: raise the limit of open " \
                "files (ulimit -n, LimitNOFILE)")
            end

            data["keys"].zip(ios) { |row, io| sockets[Listen::SocketSet::Key.from(row)] = io }
            data.values_at("pid", "priority") if data["last"]
          end

          def fail(ios, reason)
            ios&.each(&:close)
            raise CannotListen, "cannot take over: #{reason}"
          end
        end
      end
    end
  end
end
