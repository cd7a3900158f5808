# frozen_string_literal: true

require_relative "../../base/clock"
require_relative "../../base/error"
require_relative "../../base/log"
require_relative "../observability/in_flight_requests"
require_relative "../observability/heartbeat"
require_relative "ractor_worker"

module Raffia
  class Server
    module Ractors
      # In place of a {Worker}: several of them, each in a Ractor with listeners and a loop of its
      # own. This side only watches them, from the main Ractor, to which signals belong. No message
      # goes to or from a Ractor while it serves, and nothing waits for one: orders go down through
      # pipes, and life signs come up through pipes.
      #
      # A Ractor cannot be stopped by force. One whose loop no longer turns is no longer vouched for
      # to the supervisor, which then replaces the process.
      #
      # @api private
      class WorkerGroup
        # How often one may end of its own and be replaced, within so many seconds, before all is
        # given up.
        INTENSITY = 5
        PERIOD = 60
        # Seconds between two looks at the life signs.
        PULSE = 1.0
        # Seconds beyond drain_timeout that a Ractor may take to end.
        GRACE = 2
        # Seconds for Ractors to say what they are at: less than who asks waits himself.
        PATIENCE = 0.5
        # Orders: to open log files anew, to say what they are at.
        REOPEN = "r"
        ASK = "i"
        private_constant :PATIENCE, :REOPEN, :ASK

        # @param app [Blueprint] shareable
        # @param listeners [Array<Array<Listen::Listener>>] of each Ractor
        # @param options [Options]
        # @param seat [Object, nil] the supervisor's
        # @param heart [#beat, nil] is told that all Ractors' loops turn
        # @param log [Logger, nil]
        # @param counters [Observability::Metrics::Counters] where all of them count
        def initialize(app, listeners:, options:, seat: nil, heart: seat, log: nil,
          counters: Observability::Metrics::Counters.alone)
          @options = options
          @heart = heart
          @log = log || Log.build(Raffia.config)
          @orders, @ask = ::IO.pipe
          @berths = listeners.each_with_index
            .map { |own, index| RactorWorker.new(index, app, own, options, counters) }
          @ends = []
          @asking = ::Thread::Mutex.new
          @question = @asked = @take_leave = nil
          @heartbeat = Observability::Heartbeat.new(counters, nil, nil)
        end

        # @return [Array<RactorWorker>]
        attr_reader :berths

        # Serves until {stop}.
        # @yield when all Ractors accept
        # @return [void]
        # @raise [WorkerDied] when one does not start, or when they end again and again
        def run
          @berths.each(&:start)
          turn until @until || @berths.all?(&:ready?)
          yield if block_given? && !@until
          turn until @until
        ensure
          wind_up
        end

        # @return [Boolean] whether some could not be ended: then the process had better leave by
        #   exit!, because Ruby's own way out waits for them, and may do so for ever
        #   (docs/ractors.md)
        def abandoned? = !@berths.all?(&:ended?)

        # @yield when no Ractor accepts any more: the listeners may be closed
        # @return [void]
        def on_stop_accepting(&block) = @take_leave = block

        # Any thread may ask, and so may a trap.
        # @param how [Symbol] :drain lets the requests in flight end, :now does not
        # @return [void]
        def stop(how = :drain)
          @ask.write_nonblock(how.to_s[0], exception: false)
          nil
        end

        # Log files were moved away. Any thread may ask, and so may a trap.
        # @return [void]
        def reopen = stop(REOPEN)

        # Any thread may ask. A Ractor that does not answer is left out.
        # @return [Hash] as {Observability::InFlightRequests#to_h}; what is slow is what the options
        #   say
        def in_flight(_slow)
          @asking.synchronize do
            @question = ::Thread::Queue.new
            stop(ASK)
            @question.pop(timeout: PATIENCE)
            Observability::InFlightRequests.merge(@berths.filter_map(&:in_flight))
          end
        end

        private

        def turn
          readable, = ::IO.select([@orders, *@berths.reject(&:gone?)], nil, nil, PULSE)
          readable&.each { |one| one.equal?(@orders) ? obey : hear(one) }
          @heartbeat.record_gc
          @heart&.beat if @berths.all? { |berth| berth.alive?(@options.worker_timeout) }
        end

        def obey
          order = @orders.read_nonblock(1)
          (order == ASK) ? ask : pass_on(order)
        end

        def ask
          @asked = @question
          @berths.each(&:ask)
        end

        # @param order [String] d or n, see {stop}, or {REOPEN}
        def pass_on(order)
          unless order == REOPEN
            @until = Clock.now + GRACE + ((order == "d") ? @options.drain_timeout.to_f : 0)
          end
          @berths.each { |berth| berth.tell(order) }
        end

        # No Ractor may be left when the process ends.
        def wind_up
          pass_on("n") unless @until
          turn until @berths.all?(&:gone?) || Clock.now > @until
          sleep(0.001) until @berths.none? { |berth| berth.gone? && !berth.ended? } # the last steps
          if abandoned?
            @log.error("#{@berths.count { |berth| !berth.ended? }} Ractors of the server did not " \
              "end")
          end
          @berths.each(&:close)
        end

        def answered
          @asked.push(true)
          @asked = nil
        end

        def hear(berth)
          berth.hear
          answered if @asked && @berths.all? { |each| each.gone? || each.in_flight }
          take_leave if @until
          return if !berth.gone? || @until

          unless berth.ready?
            raise WorkerDied, "a Ractor could not begin to serve: #{berth.last_words}"
          end

          @log.error("a Ractor of the server ended, and is replaced: #{berth.last_words}")
          note_end(berth)
          berth.start
        end

        # They share descriptors: none may be closed while one of them still waits for it.
        def take_leave
          return unless @take_leave && @berths.all?(&:left?)

          @take_leave.call
          @take_leave = nil
        end

        def note_end(berth)
          now = Clock.now
          @ends = @ends.select { |at| at > now - PERIOD } << now
          if @ends.size >= INTENSITY
            raise WorkerDied, "#{INTENSITY} Ractors ended within #{PERIOD} s; the last one said: " \
              "#{berth.last_words}"
          end
        end
      end
    end
  end
end
