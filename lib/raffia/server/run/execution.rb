# frozen_string_literal: true

require_relative "../../base/error"
require_relative "isolation"

module Raffia
  class Server
    # Decides, when an application has been loaded, whether its requests run in fibers or on threads.
    #
    # @api private
    module Execution
      module_function

      # @param application [Application] that is loaded
      # @param options [Options]
      # @param log [Logger]
      # @return [Options] with what was decided
      # @raise [ConfigError] when fibers are asked for and requests would share their connections
      def settle(application, options, log)
        return options if options.threaded? || options.ractors? || application.trusted?

        obstacle = Isolation.obstacle
        raise ConfigError, refusal(obstacle) if obstacle && options.execution == :fibers

        on_threads = obstacle || (Isolation.shared_locale? && options.execution == :auto && "i18n before 1.15 keeps the locale by thread")
        if on_threads then log.info("requests run on threads (#{options.threads}), not in fibers: #{on_threads}")
        elsif Isolation.rails? then log.info("requests run in fibers: Rails keeps what belongs to one by fiber (isolation_level is :fiber)")
        end
        options.with(execution: on_threads ? :threads : :fibers)
      end

      def refusal(obstacle)
        "execution fibers: #{obstacle}, so requests would share connections of Active Record and lose writes. " \
          "Leave out `execution`, or set config.active_support.isolation_level = :fiber in config/application.rb"
      end

      private_class_method :refusal
    end
  end
end
