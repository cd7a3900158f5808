# frozen_string_literal: true

module Raffia
  module Simulation
    module CoreMethods
      # The wall clock as objects. Date.today and DateTime.now are methods of C, which read it too.
      #
      # @api private
      module TimeMethods
        # Date.today.
        module DateMethods
          def today(calendar = ::Date::ITALY)
            return super unless World.current

            now = ::Time.now
            civil(now.year, now.month, now.day, calendar)
          end
        end

        # DateTime.now.
        module DateTimeMethods
          def now(calendar = ::Date::ITALY)
            return super unless World.current

            now = ::Time.now
            civil(now.year, now.month, now.day, now.hour, now.min, now.sec + now.subsec,
              Rational(now.utc_offset, 86_400), calendar)
          end
        end

        def now(in: nil)
          world = World.current or return super
          at(*world.wall_clock.divmod(VirtualClock::SECOND), :nsec, in:)
        end

        def new(*arguments, **options)
          return super unless arguments.empty? && World.current

          now(**options.slice(:in))
        end

        def self.install
          require "date"
          Replacement.call(::Date, DateMethods)
          Replacement.call(::DateTime, DateTimeMethods)
        end
      end
    end
  end
end
