# frozen_string_literal: true

module Raffia
  module Jobs
    module Iteration
      # One run over the steps of an iteration.
      # @api private
      class Walk
        # Seconds between two saves of the cursor, as in Sidekiq.
        SAVE_INTERVAL = 5
        # Seconds that a saved cursor is kept, as in Sidekiq.
        TTL = 30 * 86_400

        # The run is nil outside of a worker; the limit in seconds.
        def initialize(job, run, limit)
          @job = job
          @run = run
          @store = run&.store
          @key = "cursor:#{job.jid}"
          @limit = limit
        end

        def call(args)
          load_cursor
          yield @cursor
          @cursor.nil? ? @job.on_start : @job.on_resume
          ending = steps(args) { |cursor| yield @cursor = cursor }
          ending ? interrupt(ending) : complete
        rescue => error
          save # the try after this one goes on from here
          raise error
        end

        private

        def load_cursor
          @begun = @saved = Clock.now
          @cursor = JSON.parse(@store.read(@key) || "[null]").first if @store
        end

        # Returns :stop or :cancel when it ended early.
        def steps(args)
          @job.build_enumerator(*args, cursor: @cursor)&.each do |item, cursor|
            @job.each_iteration(item, *args)
            yield cursor
            ending = ending? and return ending
            save if Clock.now > @saved + SAVE_INTERVAL
          end
          nil
        end

        def ending?
          return :cancel if @run&.cancelled?

          :stop if @run&.stopping? || (@limit && Clock.now > @begun + @limit)
        end

        def interrupt(ending)
          return cancel if ending == :cancel

          save
          @job.on_stop
          raise Interrupted, "#{@job.class} goes on later"
        end

        def cancel
          @job.on_cancel
          clear
        end

        def complete
          @job.on_complete
          clear
        end

        def save
          @saved = Clock.now
          @store&.write(@key, JSON.generate([@cursor]), ttl: TTL)
        end

        def clear = @store&.write(@key, nil)
      end
    end
  end
end
