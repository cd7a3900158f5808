# frozen_string_literal: true

require_relative "run/outcome"

module Raffia
  module Jobs
    class Worker
      # One run of one job, from its claim until the store knows its outcome. A job sees it as
      # {Job#run}.
      class Run
        KEY = :raffia_job
        UNREAD = {}.freeze
        # Frames of a backtrace that are shown, down to the job's own: those of Raffia are left out.
        FRAMES = 100
        EXECUTION = ::File.expand_path("../execution.rb", __dir__).freeze
        private_constant :KEY, :UNREAD, :EXECUTION

        # @return [Run, nil] that the running code belongs to: tasks and threads of a job inherit it
        def self.current = Fiber[KEY]

        # @api private
        def self.adopt(run) = Fiber[KEY] = run

        # @api private
        attr_reader :claim
        # @return [Symbol, nil] where it runs: :fibers, :threads, :ractors, :processes
        attr_accessor :on
        # @api private
        attr_accessor :meter
        # @api private
        attr_writer :fiber
        # Index in the {SharedLease}.
        # @api private
        attr_accessor :slot
        # @return [Integer] start, in seconds since 1970
        attr_reader :run_at
        # @return [Symbol, nil] :cancelled or :stopping: why it is to end
        attr_reader :stop_reason
        # @return [Hash] the payload; {} when it cannot be read
        attr_reader :item
        # @return [Float, nil] progress from 0.0 to 1.0, if the job sets it
        attr_reader :progress
        # @return [String, nil] what the job says about itself
        attr_reader :note

        # @api private
        def initialize(claim, context)
          @claim = claim
          @context = context
          @item = UNREAD
          @stop_reason = nil
          @starts_at = claim.delay && Clock.now + claim.delay
          @lost = @concluded = false
          @run_at = ::Process.clock_gettime(::Process::CLOCK_REALTIME, :second)
        end

        # @api private
        def item=(item)
          @item = item
          @name = nil
        end

        # @api private
        def readable? = !@item.equal?(UNREAD)

        # @return [String, nil]
        def jid = @item["jid"]

        # @api private
        def queue = @claim.queue

        # @return [String] of the class, see {Payload.class_name}
        def name = @name ||= Payload.class_name(@item)

        # @return [String] of this run: Sidekiq's Web shows it as the thread
        def tid = object_id.to_s(36)

        # @return [Store] of the job
        def store = @context.store

        # @param progress [Float] from 0.0 to 1.0
        def progress=(progress)
          @progress = progress.to_f.clamp(0.0, 1.0)
        end

        # @param note [#to_s]
        def note=(note)
          @note = note.to_s
        end

        # Result of the job as JSON, which its ack keeps. See {Job#return_value}.
        # @api private
        def result=(json)
          @claim.result = json
        end

        # An element of "work" in {Store#beat}. A note may tell about hidden arguments.
        # @api private
        def work
          {"jid" => jid, "queue" => @claim.queue, "payload" => raw_payload, "run_at" => @run_at,
           "tid" => tid, "on" => @on.to_s,
           "progress" => @progress || @context.executors.progress(self),
           "note" => (@note unless Redaction.hides?(@item)),
           "backtrace" => (backtrace if @traced)}.compact
        end

        # @api private
        def trace = @traced = true

        # Nil in another process and in a Ractor.
        # @api private
        def backtrace
          return unless %i[fibers threads].include?(@on)

          @fiber&.backtrace(0, FRAMES)&.take_while { |line| !line.start_with?(EXECUTION) }
        end

        # @api private
        def facts = {jid: jid, class: name, queue: queue, on: @on}

        # In UTF-8: JSON has no other strings, and stores may return bytes.
        # @api private
        def raw_payload = @claim.payload.dup.force_encoding(Encoding::UTF_8).scrub

        # @return [Boolean] whether it is to end soon: its worker stops, it was cancelled, or it
        #   runs again elsewhere
        def stopping? = !@stop_reason.nil? || @context.worker.stopping? || lost?

        # @return [Boolean]
        def cancelled? = @stop_reason == :cancelled

        # @return [Boolean] whether the lease was lost: what it does now does not count
        def lost? = @lost || @context.heartbeat.lost?(@claim.lease)

        # Whether the store knows its outcome; its last callbacks may still run.
        # @api private
        def concluded? = @concluded

        # @api private
        def conclude = @concluded = true

        # A step of a durable function was recorded: a failure after it is the first one again.
        # @api private
        def progress_recorded = @progress_recorded = true

        # @api private
        def progress_recorded? = !!@progress_recorded

        # Calls the store again until it answers. Nil when the claim is lost.
        # @api private
        def attempt(&) = @context.backoff.attempt(-> { lost? }, &)

        # @api private
        def log = @context.logger.log

        # The store does not know this claim any more.
        # @api private
        def lose
          return if @lost

          @lost = true
          @context.logger.ended(self, "claim lost")
        end

        # Returns a level of {Future#cancel}, :requested where it is left to the job, or false when
        # it does not run. By force it may be interrupted anywhere.
        # @api private
        def interrupt(why, by_force: false)
          @stop_reason ||= why
          @context.executors.interrupt(self, why, by_force)
        end

        # Ends it where its fiber waits. False: it has ended, or will not begin.
        # @api private
        def cancel(why) = !!@cancel_scope&.cancel(why) && :interrupted

        # @api private
        def call
          wait_for_start if @starts_at
          return outcome.interrupted(begun: false) if @stop_reason

          Run.adopt(self)
          @fiber = Fiber.current
          @began = Clock.now
          CancellationStack.enter(self) { |scope| execute(scope) }
          @context.logger.done(self, seconds)
          @context.acks.push(@claim)
        rescue Executors::ExecutorPool::Saturated
          outcome.not_begun
        rescue UnknownKey => error
          outcome.without_key(error)
        rescue RateLimited => error
          outcome.rate_limited(error.retry_after)
        rescue Suspended => suspension
          outcome.suspended(suspension.message)
        rescue Interrupted
          outcome.unfinished
        rescue Cancel, Cancelled => cancel
          @stop_reason ? outcome.interrupted : outcome.failed(cancel, seconds)
        rescue Exception => error # standard:disable Lint/RescueException
          outcome.failed(error, seconds)
        end

        private

        # Its rate opens then. A cancel waits as long.
        def wait_for_start
          @began = Clock.now
          rest = @starts_at - @began
          sleep(rest) if rest.positive?
        end

        def execute(scope)
          @cancel_scope = scope
          self.item = @claim.item
          Payload::FieldCheck.check(@item)
          job = Execution.job_class(@item["class"], @context.aliases)
          @context.logger.started(self)
          @context.executors.call(self, job)
        end

        def seconds = Clock.now - @began

        def outcome = Outcome.new(self, @context)
      end
    end
  end
end
