# frozen_string_literal: true

require "json"

module Sidekiq
  module Job
    module Iterable
      # One run over the steps of a job.
      #
      # @api private
      class Walk
        # Seconds between two saves of the cursor.
        SAVE_INTERVAL = 5
        # Seconds that a store keeps the cursor.
        TTL = 30 * 86_400
        private_constant :TTL

        # Returns the time of the first cancellation, in seconds since 1970.
        def self.cancel(jid)
          store = Raffia::Jobs.store
          store.write(key("cancelled", jid), Time.now.to_i.to_s, expect: nil, ttl: TTL)
          store.read(key("cancelled", jid)).to_i
        end

        def self.key(what, jid) = "sidekiq:#{what}:#{jid}"

        attr_reader :arguments, :cursor, :object, :cancelled

        def initialize(job, arguments)
          @job = job
          @arguments = arguments.dup.freeze
          @store = job._context.respond_to?(:store) ? job._context.store : Raffia::Jobs.store
          @runs, @cursor = JSON.parse(@store.read(Walk.key("cursor", job.jid)) || "[0, null]")
          @cursor.freeze
        end

        def call
          steps = steps() or return @job.logger.info("#{@job.class} #{@job.jid} has nothing to do")
          @runs += 1
          (@runs == 1) ? @job.on_start : @job.on_resume
          ended = catch(:abort) { run(steps) }
          @job.on_stop
          (ended == false) ? continue_later : complete
        end

        private

        def steps
          # A copy, because Ruby 3.4 adds keywords that a method does not take to the splatted
          # Array.
          steps = @job.build_enumerator(*@arguments.dup, cursor: @cursor)
          return steps if steps.nil? || steps.is_a?(Enumerator)

          raise ArgumentError, "build_enumerator of #{@job.class} gave #{steps.class}: give an " \
            "Enumerator, such as array_enumerator(list, cursor: cursor)"
        end

        # False when the job has to continue later.
        def run(steps)
          @begun = @saved = Raffia::Clock.now
          return true if cancelled!

          steps.each do |object, cursor|
            @object = object
            @cursor = cursor.freeze
            ending = @job.interrupted? || over_time?
            if ending || Raffia::Clock.now >= @saved + SAVE_INTERVAL
              save
              return true if cancelled!
            end
            return false if ending

            step
          end
          true
        end

        def step
          @job.around_iteration { @job.each_iteration(@object, *@arguments) }
        rescue Exception # standard:disable Lint/RescueException
          save # the next attempt begins with this step
          raise
        end

        def over_time?
          most = Sidekiq.default_configuration[:max_iteration_runtime]
          most && Raffia::Clock.now > @begun + most
        end

        def cancelled!
          @cancelled = @store.read(Walk.key("cancelled", @job.jid))&.to_i or return false
          @job.on_cancel
          true
        end

        def save
          @saved = Raffia::Clock.now
          @store.write(Walk.key("cursor", @job.jid), JSON.generate([@runs, @cursor]), ttl: TTL)
        end

        def continue_later
          save
          raise Interrupted, "#{@job.class} goes on later"
        end

        def complete
          @job.on_complete
          %w[cursor cancelled].each { |what| @store.write(Walk.key(what, @job.jid), nil) }
        end
      end
    end
  end
end
