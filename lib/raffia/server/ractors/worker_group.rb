# frozen_string_literal: true

require_relative "../observability/in_flight_requests"
require_relative "../observability/heartbeat"
require_relative "ractor_worker"

module Raffia
  class Server
    module Ractors
      # Runs several {Worker}s, each in a Ractor. The main Ractor only monitors them. Orders and
      # heartbeats use pipes, because receiving messages of Ractors would block the loop.
      #
      # A Ractor cannot be killed. When one's loop stops, the process sends no more heartbeats, and
      # the supervisor replaces it.
      #
      # @api private
      class WorkerGroup
        # Restart intensity: this many ends within PERIOD seconds end the group.
        INTENSITY = 5
        PERIOD = 60
        # Seconds between two checks of the heartbeats.
        INTERVAL = 1.0
        # Seconds beyond drain_timeout for a Ractor to end.
        GRACE = 2
        # Seconds for Ractors to list their requests; less than {StatusPanel} waits.
        ANSWER_TIMEOUT = 0.5
        REOPEN = "r"
        ASK = "i"
        private_constant :ANSWER_TIMEOUT, :REOPEN, :ASK

        # `listeners`: a list for each Ractor.
        def initialize(app, listeners:, options:, worker_context: nil, liveness: worker_context,
          log: nil,
          counters: Observability::Metrics::Counters.alone)
          @options = options
          @liveness = liveness
          @log = log || Log.build(Raffia.config)
          @commands, @ask = ::IO.pipe
          @workers = listeners.each_with_index
            .map { |own, index| RactorWorker.new(index, app, own, options, counters) }
          @ended_at = []
          @lock = ::Thread::Mutex.new
          @question = @asked = @finish_accepting = nil
          @heartbeat = Observability::Heartbeat.new(counters, nil, nil)
        end

        attr_reader :workers

        # Serves until {stop}. Yields when all Ractors accept. Raises WorkerDied when one does not
        # start, or when they end repeatedly.
        def run
          @workers.each(&:start)
          poll until @finish || @workers.all?(&:ready?)
          yield if block_given? && !@finish
          poll until @finish
        ensure
          shut_down
        end

        # Whether some did not end. The process must use exit! then: Ruby's exit may wait for them
        # for ever (docs/ractors.md).
        def abandoned? = !@workers.all?(&:ended?)

        # Runs the block when no Ractor accepts, so the listeners may be closed.
        def on_stop_accepting(&block) = @finish_accepting = block

        # `how`: :drain finishes requests in flight, :now does not. Safe in any thread and in a
        # trap.
        def stop(how = :drain)
          @ask.write_nonblock(how.to_s[0], exception: false)
          nil
        end

        def reopen = stop(REOPEN)

        # See {Observability::InFlightRequests#to_h}. Leaves out Ractors that do not answer. Safe in
        # any thread. The options define what is slow.
        def in_flight(_slow)
          @lock.synchronize do
            @question = ::Thread::Queue.new
            stop(ASK)
            @question.pop(timeout: ANSWER_TIMEOUT)
            Observability::InFlightRequests.merge(@workers.filter_map(&:in_flight))
          end
        end

        private

        def poll
          readable, = ::IO.select([@commands, *@workers.reject(&:gone?)], nil, nil, INTERVAL)
          readable&.each { |one| one.equal?(@commands) ? next_command : receive_from(one) }
          @heartbeat.record_gc
          @liveness&.beat if @workers.all? { |worker| worker.alive?(@options.worker_timeout) }
        end

        def next_command
          command = @commands.read_nonblock(1)
          (command == ASK) ? ask : forward(command)
        end

        def ask
          @asked = @question
          @workers.each(&:ask)
        end

        # `command`: d or n, see {stop}, or {REOPEN}.
        def forward(command)
          unless command == REOPEN
            @finish = Clock.now + GRACE + ((command == "d") ? @options.drain_timeout.to_f : 0)
          end
          @workers.each { |worker| worker.send_command(command) }
        end

        # None may be left when the process ends.
        def shut_down
          forward("n") unless @finish
          poll until @workers.all?(&:gone?) || Clock.now > @finish
          # the last steps
          sleep(0.001) until @workers.none? { |worker| worker.gone? && !worker.ended? }
          if abandoned?
            @log.error("#{@workers.count { |worker| !worker.ended? }} Ractors of the server did " \
              "not end")
          end
          @workers.each(&:close)
        end

        def answered
          @asked.push(true)
          @asked = nil
        end

        def receive_from(worker)
          worker.receive
          answered if @asked && @workers.all? { |each| each.gone? || each.in_flight }
          finish_accepting if @finish
          return if !worker.gone? || @finish

          unless worker.ready?
            raise WorkerDied, "a Ractor could not begin to serve: #{worker.failure}"
          end

          @log.error("a Ractor of the server ended, and is replaced: #{worker.failure}")
          record_end(worker)
          worker.start
        end

        # Ractors share descriptors: all must have stopped before one is closed.
        def finish_accepting
          return unless @finish_accepting && @workers.all?(&:stopped_accepting?)

          @finish_accepting.call
          @finish_accepting = nil
        end

        def record_end(worker)
          now = Clock.now
          @ended_at = @ended_at.select { |at| at > now - PERIOD } << now
          if @ended_at.size >= INTENSITY
            raise WorkerDied, "#{INTENSITY} Ractors ended within #{PERIOD} s; the last one said: " \
              "#{worker.failure}"
          end
        end
      end
    end
  end
end
