# frozen_string_literal: true

require_relative "compatibility_check"

module Raffia
  class Server
    module Ractors
      # Decides whether a server runs Ractors. A number is binding: the server does not start
      # without them. With `auto` it starts without.
      #
      # @api private
      class Choice
        def initialize(application, options, log)
          @application = application
          @options = options
          @log = log
        end

        # Returns options with the decision. Raises ConfigError that names the obstacles.
        def call
          reasons = machine + (machine.empty? ? application : [])
          return settled(@options.ractor_count, :share) if reasons.empty?

          text = Ractors.refusal(reasons)
          raise ConfigError, text unless @options.ractors == :auto

          @log.warn("ractors auto: none. #{text}")
          settled(0, :build)
        end

        private

        def settled(count, mode)
          @application.load_as(mode)
          @options.with(ractors: count, processes: (count.zero? || @options.processes != :auto) ?
            @options.processes : @options.workers)
        end

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

        def application
          @application.load_as(:record)
          CompatibilityCheck.run(paths: []) { loaded }.obstacles
        end

        # The process that serves raises the error.
        def loaded
          @application.load
        rescue ::Exception # standard:disable Lint/RescueException
          ->(_) {}
        end
      end
    end
  end
end
