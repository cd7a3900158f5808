# frozen_string_literal: true

module Raffia
  module Jobs
    class Store
      class RateLimiter
        # Decides when a process looks for jobs of a rate that opens. One of all processes looks
        # first, halfway through the lead, and claims what opens until the lead's end; it does so
        # again the next time. The others look later, and mostly find a new opening.
        # @api private
        class OpeningTimer
          # Parts of the lead that are left then.
          FIRST = (0.45..0.55)
          OTHERS = (0.2..0.4)
          # Seconds by which an opening may move and is still the same one: clocks are read twice.
          SAME = 0.001
          private_constant :FIRST, :OTHERS, :SAME

          def initialize
            @opens_at = nil
            @early = 0
            @due = false
          end

          # The next rate opens in so many seconds, nil for none.
          def opens_in(seconds, lead = nil)
            return @opens_at = nil unless seconds

            opens_at = Clock.now + seconds
            unless @opens_at && (opens_at - @opens_at).abs < SAME
              @early = lead * rand(@due ? FIRST : OTHERS)
              @due = false
            end
            @opens_at = opens_at
          end

          # A rate has blocked a job.
          def opens_earlier(seconds, lead)
            opens_in(seconds, lead) if @opens_at.nil? || Clock.now + seconds < @opens_at
          end

          # Seconds until this process looks, nil for never. From 0 on it should.
          def seconds
            opens_at = @opens_at or return # another thread may end it meanwhile

            left = opens_at - @early - Clock.now
            @due = true if left <= 0
            left
          end

          def due? = !!seconds&.<=(0)
        end
      end
    end
  end
end
