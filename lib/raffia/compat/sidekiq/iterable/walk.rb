# frozen_string_literal: true

require "json"
require_relative "../../../base/clock"
require_relative "../../../jobs"

module Sidekiq
  module Job
    module Iterable
      # One run over the steps of a job.
      #
      # @api private
      class Walk
        # Seconds between two saves of the cursor.
        SAVE_INTERVAL = 5
        # Seconds that it is kept.
        TTL = 30 * 86_400
        private_constant :TTL

        # @param jid [String]
        # @return [Integer] when it was cancelled, in seconds since 1970
        def self.cancel(jid)
          store = Raffia::Jobs.store
          store.write(key("cancelled", jid), Time.now.to_i.to_s, expect: nil, ttl: TTL)
          store.read(key("cancelled", jid)).to_i
        end

        # @return [String]
        def self.key(what, jid) = "sidekiq:#{what}:#{jid}"

        # @return [Array]
        attr_reader :arguments
        # @return [Object, nil]
        attr_reader :cursor, :object
        # @return [Integer, nil]
        attr_reader :cancelled

        # @param job [Iterable]
        # @param arguments [Array]
        def initialize(job, arguments)
          @job = job
          @arguments = arguments.dup.freeze
          @store = job._context.respond_to?(:store) ? job._context.store : Raffia::Jobs.store
          @runs, @cursor = JSON.parse(@store.read(Walk.key("cursor", job.jid)) || "[0, null]")
          @cursor.freeze
        end

        # @return [void]
        # @raise [Interrupted]
        def call
          steps = steps() or return @job.logger.info("#{@job.class} #{@job.jid} has nothing to do")
          @runs += 1
          (@runs == 1) ? @job.on_start : @job.on_resume
          ended = catch(:abort) { go(steps) }
          @job.on_stop
          (ended == false) ? later : complete
        end

        private

        def steps
          # Ruby 3.4 adds keywords that a method does not know to the splatted Array itself, which
          # is frozen.
          steps = @job.build_enumerator(*@arguments.dup, cursor: @cursor)
          return steps if steps.nil? || steps.is_a?(Enumerator)

          raise ArgumentError, "build_enumerator of #{@job.class} gave #{steps.class}: give an " \
            "Enumerator, such as array_enumerator(list, cursor: cursor)"
        end

        # @return [Boolean] false: it goes on later
        def go(steps)
          @begun = @saved = Raffia::Clock.now
          return true if cancelled!

          steps.each do |object, cursor|
            @object = object
            @cursor = cursor.freeze
            ending = @job.interrupted? || over?
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
          save # the next try begins with this step
          raise
        end

        def over?
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

        def later
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
