# frozen_string_literal: true

require_relative "../../base/clock"
require_relative "../../executor/ractors/adapter"
require_relative "../../process/framed_pipe"
require_relative "entrypoint"
require_relative "status_writer"

module Raffia
  class Server
    module Ractors
      # One Ractor that serves, seen from the main one.
      #
      # @api private
      class RactorWorker
        # @return [Hash, nil] as {Observability::InFlightRequests#to_h}: what it was at when it was
        #   last asked; nil: it has not answered yet
        attr_reader :in_flight
        # @return [String] what it said when it failed
        attr_reader :last_words

        # @param index [Integer]
        # @param app [Blueprint]
        # @param listeners [Array<Listen::Listener>]
        # @param options [Options]
        # @param counters [Observability::Metrics::Counters]
        def initialize(index, app, listeners, options, counters)
          @listeners = listeners # the Ractor has their numbers, so nobody may close them meanwhile
          places = listeners.map do |listener|
            [listener.socket.class, listener.socket.fileno, listener.bind, listener.tls_settings]
          end
          @given = ::Ractor.make_shareable([index, app, places, options, counters])
          @gone = true
        end

        # @return [void]
        def start
          close
          @last_words = "it was killed, and said nothing"
          @ready = @gone = @left = false
          report, @tell = pipes
          @report = report
          @reader = Process::FramedPipe::Reader.new(report)
          @heard = Clock.now
          @ractor = Executor::Ractors::Adapter.start(@given, *@theirs.map(&:fileno)) do |given, *fds|
            Entrypoint.serve(*given, *fds)
          end
        end

        # @return [IO] readable when it has said something, or has ended
        def to_io = @report

        # Takes in what it has said.
        # @return [void]
        def hear
          loop do
            word = @reader.read or return @gone = true
            @heard = Clock.now
            take(word)
            return unless @reader.ready?(0)
          end
        end

        # @param order [String] one byte
        # @return [void]
        def tell(order)
          @tell.write_nonblock(order, exception: false)
        rescue Errno::EPIPE, IOError
          nil # it has ended
        end

        # Asks what requests it is at: {in_flight} says so when it has been heard.
        # @return [void]
        def ask
          @in_flight = nil
          tell("i")
        end

        # @return [Boolean] whether it accepts, or did
        def ready? = @ready
        # @return [Boolean] whether it has ended
        def gone? = @gone
        # @return [Boolean] whether it accepts no more
        def left? = @left || @gone

        # @return [Boolean] whether there is nothing left of it. Only Ractor#inspect tells
        def ended? = @ractor.nil? || @ractor.inspect.include?("terminated")

        # @param limit [Numeric, nil] seconds
        # @return [Boolean] whether its loop has turned lately
        def alive?(limit) = @gone || limit.nil? || Clock.now < @heard + limit

        # @return [void]
        def close = [@report, @tell].compact.each(&:close)

        private

        def take(word)
          case word
          when StatusWriter::READY then @ready = true
          when StatusWriter::BEAT then nil
          when StatusWriter::LEFT then @left = true
          else (at = StatusWriter.in_flight(word)) ? @in_flight = at :
            @last_words = word.force_encoding(Encoding::UTF_8).scrub
          end
        end

        # The other ends are the Ractor's, which closes them; from here on they are numbers.
        def pipes
          report, words = ::IO.pipe
          orders, tell = ::IO.pipe
          @theirs = [orders, words].each { |io| io.autoclose = false }
          [report, tell]
        end
      end
    end
  end
end
