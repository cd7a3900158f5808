# frozen_string_literal: true

require_relative "../../executor/ractors/adapter"
require_relative "../../process/framed_pipe"
require_relative "entrypoint"
require_relative "status_writer"

module Raffia
  class Server
    module Ractors
      # A serving Ractor, as the main Ractor sees it.
      #
      # @api private
      class RactorWorker
        # The last answer of {Observability::InFlightRequests#to_h}, or nil.
        attr_reader :in_flight
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

        # Readable when the Ractor has sent something or has ended.
        def to_io = @status

        def receive
          loop do
            message = @reader.read or return @gone = true
            @last_message_at = Clock.now
            handle(message)
            return unless @reader.ready?(0)
          end
        end

        def send_command(command)
          @commands.write_nonblock(command, exception: false)
        rescue Errno::EPIPE, IOError
          nil # it has ended
        end

        # Requests the list for {in_flight}.
        def ask
          @in_flight = nil
          send_command("i")
        end

        def ready? = @ready
        def gone? = @gone
        def stopped_accepting? = @stopped_accepting || @gone

        # Ruby shows the end of a Ractor only in Ractor#inspect.
        def ended? = @ractor.nil? || @ractor.inspect.include?("terminated")

        # `limit`: seconds without a heartbeat.
        def alive?(limit) = @gone || limit.nil? || Clock.now < @last_message_at + limit

        def close = [@status, @commands].compact.each(&:close)

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

        # The Ractor gets the numbers of the other ends, and closes them.
        def open_pipes
          @status, status = ::IO.pipe
          commands, @commands = ::IO.pipe
          @child_ends = [commands, status].each { |io| io.autoclose = false }
        end
      end
    end
  end
end
