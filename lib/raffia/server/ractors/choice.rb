# frozen_string_literal: true

require_relative "../../base/error"
require_relative "../../native"
require_relative "compatibility_check"

module Raffia
  class Server
    module Ractors
      # Decides whether a server runs Ractors. A number of them is binding: if they are not
      # possible, the server does not start. With `auto` it starts without them.
      #
      # @api private
      class Choice
        def initialize(application, options, log)
          @application = application
          @options = options
          @log = log
        end

        # @return [Options] without Ractors, or with a number of them
        # @raise [ConfigError] that names the obstacles
        def call
          reasons = machine + (machine.empty? ? application : [])
          return settled(@options.ractor_count, :share) if reasons.empty?

          text = Ractors.refusal(reasons)
          raise ConfigError, text unless @options.ractors == :auto

          @log.warn("ractors auto: none. #{text}")
          settled(0, :build)
        end

        private

        def settled(count, how)
          @application.load_to(how)
          @options.with(ractors: count, processes: (count.zero? || @options.processes != :auto) ?
            @options.processes : @options.workers)
        end

        # Obstacles in the machine and the options.
        def machine
          return ["this Ruby (#{RUBY_ENGINE}) has no Ractors"] unless defined?(::Ractor)
          unless Native.available?
            return ["the native extension is missing, and Ruby's own fibers are not safe in " \
              "several Ractors"]
          end
          if @options.binds.any?(&:tls?) && !TLS.in_ractors?
            return ["this Ruby (#{RUBY_VERSION}) has no TLS in Ractors, 3.4 has: let a proxy do it"]
          end

          []
        end

        # Does not call the application, as `raffia doctor --rack` does.
        def application
          @application.load_to(:record)
          CompatibilityCheck.run(paths: []) { loaded }.obstacles
        end

        # If it cannot be loaded, the process that serves it raises the same error.
        def loaded
          @application.load
        rescue ::Exception # standard:disable Lint/RescueException
          ->(_) {}
        end
      end
    end
  end
end
