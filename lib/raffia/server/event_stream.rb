# frozen_string_literal: true

require_relative "../server"
require_relative "worker/stream_loop"
require_relative "event_stream/heartbeats"

module Raffia
  class Server
    # A stream of server-sent events (text/event-stream) for a browser's EventSource: a response
    # that stays open, in its own fiber.
    #
    # @example
    #   run do |env|
    #     Raffia::Server::EventStream.open(env) do |stream|
    #       loop do
    #         stream.write(Time.now.to_s, event: "tick")
    #         sleep 1
    #       end
    #     end
    #   end
    #
    # Comments keep proxies from closing a silent stream. When the client leaves, the block is
    # cancelled where it waits, or at its next {#write}: clean up in `ensure`.
    class EventStream
      # Turns off the buffering of nginx and other proxies.
      HEADERS = {"content-type" => "text/event-stream", "cache-control" => "no-cache",
                 "x-accel-buffering" => "no"}.freeze
      HEARTBEAT = ":\n\n"
      # A line end at the end of the data makes an empty line.
      LINE = /\r\n|\r|\n/
      private_constant :HEADERS, :HEARTBEAT, :LINE

      # Returns the Rack response for a stream of events.
      # @param heartbeat [Numeric, nil] seconds of silence before a comment and a check of the
      #   client
      # @param retry [Numeric, nil] seconds before a browser reconnects; nil: its default, about 3
      # @param headers [Hash] further response headers
      # @yieldparam stream [EventStream]
      # @return [Array] a Rack response
      def self.open(env, heartbeat: 15, retry: nil, headers: {}, &block)
        raise ConfigError, "EventStream.open needs a block: what writes the events" unless block

        seconds = binding.local_variable_get(:retry)
        last = env["HTTP_LAST_EVENT_ID"]
        drain = env["raffia.drain"]
        [200, HEADERS.merge(headers),
          ->(output) {
            Worker::StreamLoop.run(drain) do |loop_drain|
              new(output, last, heartbeat, seconds).serve(loop_drain, &block)
            end
          }]
      end

      # @return [String, nil] the last event that a reconnecting client has seen
      attr_reader :last_event_id

      # @api private
      def initialize(output, last_event_id, heartbeat, pause)
        @output = output
        @last_event_id = last_event_id
        @heartbeat = heartbeat
        @pause = pause
      end

      # Sends an event. Waits for a slow client.
      # @param data [#to_s] may have several lines
      # @param event [String, Symbol, nil] its type; browsers default to "message"
      # @param id [String, Integer, nil] reconnecting clients send the last id
      # @return [self]
      # @raise [Closed] when the client has gone
      # @raise [ConfigError] for a type or an id that is more than a line
      def write(data, event: nil, id: nil)
        lines = []
        lines << "event: #{field(event, :event)}\n" if event
        lines << "id: #{field(id, :id)}\n" if id
        data.to_s.split(LINE, -1).each { |line| lines << "data: #{line}\n" }
        lines << "data: \n" if data.to_s.empty?
        transmit(lines.push("\n").join)
      end

      # @return [Boolean] whether the client is known to have gone
      def closed? = !!@gone

      # @api private
      def serve(drain)
        draining = nil
        transmit("retry: #{(@pause * 1000).round}\n\n") if @pause
        CancellationStack.enter(self) do |region|
          @region = region
          draining = drain&.call { region.cancel("the server is stopping") }
          Heartbeats.join(self, @heartbeat) { yield self }
        end
      rescue Cancel => cancel
        raise unless cancel.origin.equal?(self)
      rescue Closed
        raise unless closed? # another object's
      ensure
        draining&.cancel
        @output.close
      end

      # Sends a comment and checks the client. Must not wait: one fiber serves all streams.
      # @api private
      def beat
        return if @writing
        return gone unless present?

        transmit(HEARTBEAT) if !@output.respond_to?(:wait_writable) || @output.wait_writable(0)
      rescue # whatever it is, OpenSSL's errors too: nothing gets through
        gone
      end

      private

      def field(value, name)
        text = value.to_s
        if text.match?(/[\r\n\0]/)
          raise ConfigError, "#{name} of an event must be one line without NUL: #{text.inspect}"
        end

        text
      end

      def transmit(text)
        raise Closed, "the client of the event stream has gone" if closed?

        @writing = true
        @output.write(text)
        self
      rescue => error # IOError, Errno, OpenSSL's
        @gone = true
        raise Closed, "the client of the event stream has gone (#{error.message})"
      ensure
        @writing = false
      end

      def gone
        @gone = true
        @region.cancel("the client has gone")
      end

      def present?
        socket.nil? || !socket.recv_nonblock(1, ::Socket::MSG_PEEK, exception: false).nil?
      end

      # nil when a middleware such as Rack::Lint wraps the output: the next write fails then.
      def socket = (@output.to_io if @output.respond_to?(:to_io))
    end
  end
end
