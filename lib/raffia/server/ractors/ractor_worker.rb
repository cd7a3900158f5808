# frozen_string_literal: true

require_relative "../../base/clock"
require_relative "../../executor/ractors/adapter"
require_relative "../../process/framed_pipe"
require_relative "entrypoint"
require_relative "status_writer"

module Raffia
  class Server
    module Ractors
      # A Ractor that serves, seen from the main Ractor.
      #
      # @api private
      class RactorWorker
        # @return [Hash, nil] the last answer, as {Observability::InFlightRequests#to_h}; nil: none
        #   yet
        attr_reader :in_flight
        # @return [String] why it failed
        attr_reader :failure

        def initialize(index, app, listeners, options, counters)
          @listeners = listeners # kept, because the Ractor has only their numbers
          sockets = listeners.map do |listener|
            [listener.socket.class, listener.socket.fileno, listener.bind, listener.tls_settings]
          end
          @arguments = ::Ractor.make_shareable([index, app, sockets, options, counters])
          @gone = true
        end

        def start
          close
          @failure = "it was killed, and said nothing"
          @ready = @gone = @stopped_accepting = false
          open_pipes
          @reader = Process::FramedPipe::Reader.new(@status)
          @last_message_at = Clock.now
          @ractor = Executor::Ractors::Adapter.start(@arguments,
            *@child_ends.map(&:fileno)) do |arguments, *fds|
            Entrypoint.serve(*arguments, *fds)
          end
        end

        # @return [IO] readable when it has sent something, or has ended
        def to_io = @status

        # Reads what it has sent.
        def receive
          loop do
            message = @reader.read or return @gone = true
            @last_message_at = Clock.now
            handle(message)
            return unless @reader.ready?(0)
          end
        end

        def send_order(order)
          @orders.write_nonblock(order, exception: false)
        rescue Errno::EPIPE, IOError
          nil # it has ended
        end

        # Asks for its requests in flight. {in_flight} has them when the answer was read.
        def ask
          @in_flight = nil
          send_order("i")
        end

        # @return [Boolean] whether it accepts, or has done so
        def ready? = @ready
        # @return [Boolean] whether it has ended
        def gone? = @gone
        # @return [Boolean] whether it no longer accepts
        def stopped_accepting? = @stopped_accepting || @gone

        # @return [Boolean] whether Ruby has ended it, which only Ractor#inspect says
        def ended? = @ractor.nil? || @ractor.inspect.include?("terminated")

        # @param limit [Numeric, nil] seconds
        # @return [Boolean] whether its loop turns
        def alive?(limit) = @gone || limit.nil? || Clock.now < @last_message_at + limit

        def close = [@status, @orders].compact.each(&:close)

        private

        def handle(message)
          case message
          when StatusWriter::READY then @ready = true
          when StatusWriter::HEARTBEAT then nil
          when StatusWriter::STOPPED_ACCEPTING then @stopped_accepting = true
          else
            requests = StatusWriter.in_flight(message)
            return @in_flight = requests if requests

            @failure = message.force_encoding(Encoding::UTF_8).scrub
          end
        end

        # The Ractor gets the other ends as numbers, and closes them.
        def open_pipes
          @status, status = ::IO.pipe
          orders, @orders = ::IO.pipe
          @child_ends = [orders, status].each { |io| io.autoclose = false }
        end
      end
    end
  end
end
