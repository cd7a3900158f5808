# frozen_string_literal: true

module Raffia
  module Process
    class Supervisor
      # Messages of a supervisor that gives its resources to another one, or gets them from one.
      # This class does neither. The supervisor's loop calls all methods but {loop=}.
      #
      # @api private
      class Handover
        # The supervisor's {Loop}, set before the first worker starts.
        attr_writer :loop

        # Whether workers serve only after {Loop#release}.
        def held? = false

        # Whether workers of another supervisor serve, or are about to.
        def yielded? = false

        # Whether restarts and changes of size wait.
        def busy? = false

        # Whether another supervisor has all.
        def left? = false

        # Facts for {Supervisor#status}, as JSON data, or nil.
        def report = nil

        # When {step} is due, or nil.
        def due = nil

        # All workers became ready for the first time.
        def serving = nil

        # Each turn. `ended`: exits of child processes, by pid.
        def step(_now, _ended) = nil

        # All is to end, for this reason.
        def stopping(_reason) = nil

        # Starts another supervisor (USR2).
        def upgrade
          @loop.settings.log&.warn("USR2: only `raffia serve` with worker processes starts its " \
            "successor")
        end
      end
    end
  end
end
