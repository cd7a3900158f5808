# frozen_string_literal: true

require "socket"

module Raffia
  class Server
    module Takeover
      # Asks each worker for a page, without waiting, over a connection that only that worker has.
      # Without a path, it only looks whether all workers serve.
      #
      # @api private
      class ReadinessProbe
        # One end of the connection, in a worker: plain HTTP/1.1, and in place of a listener.
        Connection = ::Data.define(:socket) do
          def handshake? = false

          def verifies? = false

          # Limits of clients do not count it.
          def proxied? = true

          def tls? = false

          def scheme = "http"

          def host = "localhost"

          def port = 80
        end
        LONGEST = 65_536
        private_constant :LONGEST

        # The failure; nil: none so far.
        attr_reader :failure
        attr_reader :deadline

        # `slots`: the supervisor's. Watches by `watchers`, and calls the block after each answer.
        def initialize(slots, path, timeout, watchers, &changed)
          @path = path
          @deadline = Clock.now + timeout
          @changed = changed
          @waiting = {}
          late = slots.find { |slot| !slot.current&.ready? }
          if late
            @failure = "worker #{late.index} does not serve"
          elsif path
            slots.each { |slot| ask(slot, watchers) }
          end
        end

        def over? = !@failure.nil? || @waiting.empty?

        def expire = @failure ||= "#{@path} of worker #{@waiting.keys.min} gave no answer in time"

        def close = @waiting.each_value { |socket, _| socket.close }

        private

        def ask(slot, watchers)
          ours, theirs = UNIXSocket.pair
          ours.write_nonblock("GET #{@path} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: Raffia\r\n" \
            "Connection: close\r\n\r\n")
          slot.current.probe(theirs)
          @waiting[slot.index] = [ours, +""]
          watchers.add(ours, ->(_) { hear(slot.index) })
        ensure
          theirs&.close
        end

        def hear(index)
          socket, text = @waiting.fetch(index)
          bytes = socket.read_nonblock(LONGEST, exception: false)
          return if bytes == :wait_readable

          text << bytes if bytes && text.bytesize < LONGEST
          judge(index, text) unless bytes && !text.include?("\r\n")
        rescue SystemCallError
          judge(index, "")
        end

        def judge(index, text)
          @waiting.delete(index).first.close
          status = text[%r{\AHTTP/1\.1 (\d+)}, 1]
          unless status&.match?(/\A[23]/)
            @failure ||= "#{@path} of worker #{index} was answered by #{status || "nothing"}"
          end
          @changed.call
        end
      end
    end
  end
end
