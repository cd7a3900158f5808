# frozen_string_literal: true

require_relative "../../base/error"
require_relative "../../native"
require_relative "compatibility_check"

module Raffia
  class Server
    module Ractors
      # Decides whether a server that was asked for Ractors gets them. A number of them is an order:
      # when it cannot be met the server does not start. `auto` is a wish.
      #
      # @api private
      class Choice
        # @param application [Application]
        # @param options [Options]
        # @param log [Logger]
        def initialize(application, options, log)
          @application = application
          @options = options
          @log = log
        end

        # @return [Options] without Ractors, or with a number of them
        # @raise [ConfigError] that says what is in the way
        def call
          reasons = machine + (machine.empty? ? application : [])
          return settled(@options.lanes, :share) if reasons.empty?

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

        # What no application can change.
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

        # It is not called here: whether it could is asked by `raffia doctor --rack`, which its
        # author runs.
        def application
          @application.load_to(:record)
          CompatibilityCheck.run(paths: []) { loaded }.obstacles
        end

        # One that cannot be loaded will say so again, in the process that is to have it.
        def loaded
          @application.load
        rescue ::Exception # standard:disable Lint/RescueException
          ->(_) {}
        end
      end
    end
  end
end
