# frozen_string_literal: true

module Raffia
  module Simulation
    module CoreMethods
      # The wall clock as objects. Date.today and DateTime.now are methods of C, which read it too.
      #
      # @api private
      module TimeMethods
        # Date and DateTime, which may be loaded later.
        module DateMethods
          def today(*)
            World.current ? ::Time.now.to_date : super
          end

          def now(*)
            World.current ? ::Time.now.to_datetime : super
          end
        end

        def now(in: nil)
          world = World.current or return super
          at(*world.clock.real.divmod(VirtualClock::SECOND), :nsec, in:)
        end

        def new(*arguments, **options)
          return super unless arguments.empty? && World.current

          now(**options.slice(:in))
        end

        def self.prepended(_)
          require "date"
          ::Date.singleton_class.prepend(DateMethods)
        end
      end
    end
  end
end
