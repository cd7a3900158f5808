# frozen_string_literal: true

require "socket"

module Raffia
  module Jobs
    module Stores
      class Beanstalk < Store
        # A connection to beanstalkd, see its doc/protocol.txt. One call at a time.
        # @api private
        class Connection
          # Seconds to connect.
          TIMEOUT = 5
          # The server's refusals, and what to do.
          ADVICE = {
            "OUT_OF_MEMORY" => "it is out of memory", "DRAINING" => "it takes no more jobs",
            "INTERNAL_ERROR" => "it has a bug", "BAD_FORMAT" => "it does not understand Raffia",
            "UNKNOWN_COMMAND" => "it is too old: use 1.10 or later"
          }.freeze
          private_constant :TIMEOUT, :ADVICE

          def initialize(address)
            @address = address
            @lock = Mutex.new
            @watched = ["default"]
            @used = "default"
            @socket = translated { connect }
          end

          # Sends a command, and returns the words of the answer: %w[INSERTED 7]. A +body+ goes
          # with the command; the body of the answer is the last word.
          def call(*command, body: nil)
            @lock.synchronize do
              translated do
                line = body ? [*command, body.bytesize] : command
                @socket.write("#{line.join(" ")}\r\n#{"#{body}\r\n" if body}")
                answer
              end
            end
          end

          # The same of a body in YAML; nil when there is no such thing.
          def facts(*command)
            word, _, text = call(*command)
            parse(text) if word == "OK"
          end

          # Jobs are put into this tube from now on.
          def use(tube)
            call("use", tube) unless @used == tube
            @used = tube
          end

          # Jobs are reserved from these tubes from now on.
          def watch(tubes)
            (tubes - @watched).each { |tube| call("watch", tube) }
            (@watched - tubes).each { |tube| call("ignore", tube) }
            @watched = tubes
          end

          # From any thread: ends a call that waits.
          def interrupt
            @socket.shutdown(::Socket::SHUT_RDWR)
          rescue SystemCallError, IOError
            nil
          end

          # Another thread may be in a call: its wait ends before the socket is closed.
          def close
            interrupt
            @lock.synchronize { @socket.close }
          end

          # In a child process: the parent's end stays open.
          def disown = @socket.close

          private

          def connect
            socket = ::Socket.tcp(@address.host, @address.port, connect_timeout: TIMEOUT)
            socket.setsockopt(::Socket::IPPROTO_TCP, ::Socket::TCP_NODELAY, 1)
            socket.setsockopt(::Socket::SOL_SOCKET, ::Socket::SO_KEEPALIVE, 1)
            socket
          end

          def answer
            line = @socket.gets("\r\n") or raise EOFError, "it has closed the connection"
            words = line.split
            advice = ADVICE[words.first]
            raise StoreUnavailable, "#{@address.url}: #{advice} (#{words.first})" if advice

            %w[RESERVED OK FOUND].include?(words.first) ? [*words, read(words.last.to_i)] : words
          end

          def read(size)
            bytes = @socket.read(size + 2)
            raise EOFError, "it has closed the connection" unless bytes&.bytesize == size + 2

            bytes.byteslice(0, size)
          end

          # The server writes flat YAML: a list of names, or names and numbers.
          def parse(text)
            lines = text.lines(chomp: true).drop(1)
            return lines.map { |line| line.delete_prefix("- ") } if lines.first&.start_with?("- ")

            lines.to_h { |line|
              name, value = line.split(": ", 2)
              [name, Integer(value, exception: false) || value]
            }
          end

          def translated
            yield
          rescue SystemCallError, SocketError, IOError => error
            raise StoreUnavailable, "#{@address.url} cannot be reached: #{error.message}"
          end
        end
      end
    end
  end
end
