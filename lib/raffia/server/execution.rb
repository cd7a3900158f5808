# frozen_string_literal: true

require_relative "isolation"

module Raffia
  class Server
    # Decides whether the requests of a loaded application run in fibers or on threads.
    #
    # @api private
    class Execution
      LOCALE = "i18n before 1.15 keeps the locale by thread"
      private_constant :LOCALE

      # Returns the options with the decision, and logs the reason. Raises ConfigError when fibers
      # are demanded and requests would share connections.
      def self.settle(application, options, log)
        return options if options.ractors?

        execution = new(application, options)
        log.info("r#{execution.to_s[1..]}") if execution.reason
        options.with(execution: execution.mode, max_in_flight: execution.at_once)
      end

      attr_reader :mode, :reason
      # Requests at a time; nil: no limit.
      attr_reader :at_once

      def initialize(application, options)
        @threads = options.most_threads
        @asked = options.execution
        @mode = :threads
        @at_once = options.max_in_flight
        decide(application) unless @asked == :threads
        if @mode == :fibers && @asked == :auto && @at_once.nil? && @reason
          @connections = Isolation.connections
        end
        @at_once ||= @connections
      end

      def to_s
        where = (@mode == :threads) ? "on #{@threads} thread#{"s" if @threads > 1}" : "in fibers"
        limit = ", as many at once as Active Record has connections (#{@connections})"
        "Requests run #{where}#{limit if @connections}#{": #{@reason}" if @reason}"
      end

      private

      def decide(application)
        obstacle = Isolation.obstacle unless application.trusted?
        raise ConfigError, refusal(obstacle) if obstacle && @asked == :fibers

        obstacle ||= LOCALE if @asked == :auto && Isolation.shared_locale?
        @mode = :fibers unless obstacle
        @reason = obstacle ||
          ("Rails keeps what belongs to one by fiber" if Isolation.rails? && !application.trusted?)
      end

      def refusal(obstacle)
        "execution fibers: #{obstacle}, so requests would share connections of Active Record and " \
        "lose writes. " \
          "Leave out `execution`, or set config.active_support.isolation_level = :fiber in " \
          "config/application.rb"
      end
    end
  end
end
