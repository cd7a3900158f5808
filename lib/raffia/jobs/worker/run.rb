# frozen_string_literal: true

require_relative "../../base/clock"
require_relative "../../task"
require_relative "../perform"
require_relative "failure"

module Raffia
  module Jobs
    class Worker
      # One run of one job, from its claim to the word that the store is told. It is what a job sees
      # as {Job#run}.
      class Run
        KEY = :raffia_job
        # How many frames of a backtrace are told, and whose are not: who looks for a job's place
        # looks for its own.
        FRAMES = 100
        OURS = ::File.expand_path("../perform.rb", __dir__).freeze
        private_constant :KEY, :OURS

        # @return [Run, nil] the one that the running code belongs to: it is inherited by tasks and
        #   threads that a job starts
        def self.current = Fiber[KEY]

        # The running fiber works for it.
        # @api private
        def self.adopt(run) = Fiber[KEY] = run

        # @return [Claim]
        # @api private
        attr_reader :claim
        # @return [Symbol, nil] where it runs: :fibers, :threads, :ractors, :processes
        attr_accessor :on
        # @return [#measure, nil] looks how the time is spent
        # @api private
        attr_accessor :gauge
        # @return [Fiber] that does it, where that is one of this process
        # @api private
        attr_writer :fiber
        # @return [Integer, nil] its slot in the {LeaseBoard}
        # @api private
        attr_accessor :slot
        # @return [Integer] when it began, in seconds since 1970
        attr_reader :run_at
        # @return [Symbol, nil] :cancelled or :stopping: why it was told to end
        attr_reader :told

        # @param claim [Claim]
        # @param desk [Desk]
        # @api private
        def initialize(claim, desk)
          @claim = claim
          @desk = desk
          @told = nil
          @lost = @concluded = false
          @run_at = ::Process.clock_gettime(::Process::CLOCK_REALTIME, :second)
        end

        # @return [Hash] the payload; {} when it cannot be read
        def item = @item || {}

        # @return [String, nil]
        def jid = item["jid"]

        # @return [String] of the class, see {Payload.class_name}
        def name = Payload.class_name(item)

        # @return [String] a name for this run, as Sidekiq's Web shows those of threads
        def tid = object_id.to_s(36)

        # @return [Store] where this job is kept
        def store = @desk.store

        # @return [Float, nil] how far it is, from 0.0 to 1.0, if it says so
        attr_reader :progress
        # @return [String, nil] what it does just now, if it says so
        attr_reader :note

        # Says how far it is: people see it while it runs.
        # @param progress [Float] from 0.0 to 1.0
        def progress=(progress)
          @progress = progress.to_f.clamp(0.0, 1.0)
        end

        # Says what it does just now.
        # @param note [#to_s]
        def note=(note)
          @note = note.to_s
        end

        # Its own code begins now: if this process dies from now on, it may be the reason.
        # @return [void]
        # @api private
        def enter = (@desk.board.begin(@slot) if @slot)

        # @return [Hash] as {Store#beat} takes it
        # @api private
        def work
          {"jid" => jid, "queue" => @claim.queue, "payload" => legible, "run_at" => @run_at,
           "tid" => tid, "on" => @on.to_s,
           "progress" => @progress || @desk.places.progress(self), "note" => @note,
           "backtrace" => (backtrace if @traced)}.compact
        end

        # From the next sign of life on, people see where it is.
        # @return [void]
        # @api private
        def trace = @traced = true

        # @return [Array<String>, nil] nil where it is in another process, or in a Ractor
        # @api private
        def backtrace
          return unless %i[fibers threads].include?(@on)

          @fiber&.backtrace(0, FRAMES)&.take_while { |line| !line.start_with?(OURS) }
        end

        # @return [Hash]
        # @api private
        def facts = {jid: jid, class: name, queue: @claim.queue, on: @on}

        # @return [Boolean] whether it is to end soon: its worker stops, it was cancelled, or it is
        #   run again elsewhere
        def stopping? = !@told.nil? || @desk.worker.stopping? || lost?

        # @return [Boolean] whether somebody has cancelled it
        def cancelled? = @told == :cancelled

        # @return [Boolean] whether the lease was lost: what it does now does not count
        def lost? = @lost || @desk.keeper.lost?(@claim.lease)

        # @return [Boolean] whether the store has heard what becomes of it; its last callbacks may
        #   still run
        # @api private
        def concluded? = @concluded

        # The store does not know this claim any more.
        # @return [void]
        # @api private
        def lose
          return if @lost

          @lost = true
          @desk.journal.ended(self, "claim lost")
        end

        # Tells it to end, and ends it where that can be done.
        # @param why [Symbol] :cancelled or :stopping
        # @param by_force [Boolean] also where it may be in the middle of anything
        # @return [Symbol, false] see {Future#cancel}; :told where it is left to the job itself
        # @api private
        def interrupt(why, by_force: false)
          @told ||= why
          @desk.places.interrupt(self, why, by_force: by_force)
        end

        # Ends it where its fiber waits.
        # @return [Symbol, false] :interrupted; false: it has ended, or has not begun and will not
        # @api private
        def break_off(why) = !!@region&.cancel(why) && :interrupted

        # @return [void]
        # @api private
        def call
          return broken_off if @told

          Run.adopt(self)
          @fiber = Fiber.current
          @began = Clock.now
          CancellationStack.enter(self) { |region| perform(region) }
          @desk.journal.done(self, Clock.now - @began)
          @desk.acks.push(@claim)
        rescue Places::Crowded
          insist { @desk.store.release([@claim]) }
        rescue Interrupted
          stopping? ? release("goes on later") : step_back
        rescue Cancel, Cancelled => cancel
          @told ? broken_off : failed(cancel)
        rescue Exception => error # standard:disable Lint/RescueException
          failed(error)
        end

        private

        def perform(region)
          @region = region
          @item = @claim.item
          Payload::Fields.check(@item)
          job = Perform.job_class(item["class"])
          @desk.journal.began(self)
          @desk.places.call(self, job)
        end

        def broken_off
          return release("interrupted") unless cancelled?

          @desk.journal.ended(self, "cancelled")
          insist { @desk.store.discard(@claim) }
        end

        def release(how)
          @desk.journal.ended(self, how)
          insist { @desk.store.release([@claim]) }
        end

        # It has had its share of time: those that wait in its queue come first.
        def step_back
          @desk.journal.ended(self, "goes on later")
          insist { @desk.store.retry(@claim, @claim.payload, Time.now.to_f) }
        end

        def failed(error)
          failure =
            (if @item
               failure(error, {"queue" => @claim.queue, **Payload.load(@claim.payload),
                 **final(error)})
             end) || unreadable(error)
          @desk.journal.failed(self, Clock.now - @began, error, failure)
          conclude(failure)
          failure.tell_exhausted
        end

        # A field that makes no sense makes none at the next try.
        def final(error) = error.instance_of?(BadPayload) ? {"retry" => 0} : {}

        def conclude(failure)
          ours = insist do
            case failure.verdict
            when :retry then @desk.store.retry(@claim, failure.payload, failure.at)
            when :bury then @desk.store.bury(@claim, failure.payload)
            else @desk.store.discard(@claim)
            end
          end
          @concluded = true
          @desk.journal.ended(self, "failed too late") unless ours # as Acks has it
        end

        # @param item [Hash] as it came: what a job or a middleware did to its arguments meanwhile
        #   must not be there at the next try
        # @return [Failure, nil] nil when there is no writing it down, because a field is not what
        #   it should be
        def failure(error, item)
          Failure.new(item, error, job_or_none, @desk.journal.log)
        rescue JSON::JSONError, EncodingError, TypeError, ArgumentError, NoMethodError
          nil
        end

        # Nothing of it is thrown away: whoever finds it among the dead has all its bytes.
        def unreadable(error)
          @item = {"class" => "(unreadable)", "args" => [legible], "jid" => Payload.id,
                   "queue" => @claim.queue,
                   "retry" => 0, "created_at" => Payload.now,
                   "raffia" => {"bytes" => [@claim.payload].pack("m0")}}
          failure(error, @item)
        end

        # JSON says no other strings, and stores may give back bytes.
        def legible = @claim.payload.dup.force_encoding(Encoding::UTF_8).scrub

        def insist(&) = @desk.patience.keep(-> { lost? }, &)

        def job_or_none
          Perform.job_class(item["class"].to_s)
        rescue Exception # standard:disable Lint/RescueException
          nil
        end
      end
    end
  end
end
