# frozen_string_literal: true

module Raffia
  module Integrations
    module Rails
      # Where an application's jobs run by default: in fibers if Rails isolates by fiber, else on
      # threads. Fibers would otherwise share their thread's Active Record connection, with its
      # transactions, and before i18n 1.15 the locale.
      #
      # @api private
      module DefaultExecutor
        module_function

        def default = obstacle ? :threads : :fibers

        # Reason why jobs cannot run in fibers, nil if they can.
        def obstacle
          unless by_fiber?
            return "config.active_support.isolation_level is :thread (set it to :fiber)"
          end

          unless ::I18n::Config.method_defined?(:owned_by?)
            "i18n before 1.15 keeps the locale by thread"
          end
        end

        def by_fiber? = ::ActiveSupport::IsolatedExecutionState.isolation_level == :fiber
      end
    end
  end
end
