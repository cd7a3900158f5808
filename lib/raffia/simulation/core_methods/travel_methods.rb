# frozen_string_literal: true

module Raffia
  module Simulation
    module CoreMethods
      # Rails' helpers of tests that move the clock (ActiveSupport::Testing::TimeHelpers): inside of
      # a world they move its wall clock. Time goes on from there, also after `freeze_time`. The
      # originals replace Time.now, which a world answers itself.
      #
      # @api private
      module TravelMethods
        def travel_to(date_or_time, with_usec: false, &block)
          world = World.current or return super
          time = TravelMethods.time(date_or_time)
          time = time.change(usec: 0) unless with_usec
          move(world.clock, (time.to_r * VirtualClock::SECOND).to_i - world.clock.now, &block)
        end

        def travel(duration, with_usec: false, &)
          return super unless World.current

          travel_to(::Time.now + duration, with_usec: with_usec, &)
        end

        def freeze_time(*time, with_usec: false, &)
          return super unless World.current

          travel_to(*(time.empty? ? [::Time.now] : time), with_usec: with_usec, &)
        end

        def travel_back(&block)
          world = World.current or return super
          move(world.clock, (world.settings.start.to_r * VirtualClock::SECOND).to_i, &block)
        end

        def unfreeze_time(...)
          World.current ? travel_back(...) : super
        end

        def self.install
          return unless defined?(::ActiveSupport::Testing::TimeHelpers)

          helpers = ::ActiveSupport::Testing::TimeHelpers
          helpers.prepend(self) unless helpers.include?(self)
        end

        # Runs the block without the clock that a test's helpers have set before its simulation. The
        # block gets the Time that it shows; nil when they have set none.
        def self.undo(test)
          unless test.respond_to?(:simple_stubs, true) && test.__send__(:simple_stubs).stubbed?
            return yield
          end

          start = ::Time.now
          value = nil
          test.travel_back { value = yield(start) }
          value
        end

        # Takes a Time, a Date, or a text in the application's zone.
        def self.time(value)
          case value
          when ::DateTime then value.to_time
          when ::Date then value.midnight.to_time
          when ::String then ::Time.zone.parse(value).to_time
          else value.to_time
          end
        end

        private

        # Sets the wall clock's distance from the monotonic one, with a block for its time.
        def move(clock, offset)
          before = clock.real_offset
          clock.real_offset = offset
          return unless block_given?

          begin
            yield
          ensure
            clock.real_offset = before
          end
        end
      end
    end
  end
end
