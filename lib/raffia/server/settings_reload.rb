# frozen_string_literal: true

require_relative "options"
require_relative "hooks"

module Raffia
  class Server
    # Reads settings and hooks of raffia.rb again at a restart, in the process that loads the
    # application.
    #
    # @api private
    class SettingsReload
      # Settings that need a new start: the supervisor uses them, or all generations share them.
      KEPT = (%i[listen tls workers].flat_map { |section| Settings.section(section).map(&:name) } -
        %i[worker_requests] +
        %i[hard_timeout log log_level log_format metrics slow_request]).freeze

      SHARED = %i[client_rate client_connections].freeze

      Result = ::Data.define(:application, :options, :hooks)

      # `initial`: the options before Ractors were decided. The block returns the application, the
      # hooks, and settings for {Options.build}.
      def initialize(initial, log, &read)
        @initial = initial
        @log = log
        @read = read
      end

      def call(application, options)
        fresh, hooks, given = @read.call
        fresh.load_as(application.mode)
        fresh.execution = application.execution
        reloaded = Options.build(given)
        warn_of(kept.reject { |name| reloaded.public_send(name) == @initial.public_send(name) })
        Result.new(fresh, reloaded.with(**kept.to_h { |name| [name, options.public_send(name)] }),
          hooks)
      end

      private

      # Workers share memory for limits of clients, which is there if the first start had the limit.
      def kept = KEPT + SHARED.reject { |name| @initial.public_send(name) }

      def warn_of(names)
        if names.any?
          @log.warn("a restart does not change #{names.join(", ")}: stop the server and start it " \
            "anew for that")
        end
      end
    end
  end
end
