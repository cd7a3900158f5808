# frozen_string_literal: true

require_relative "options"
require_relative "hooks"

module Raffia
  class Server
    # Reads settings and hooks of raffia.rb anew at a restart, in the process that loads the
    # application. Settings that the supervisor itself goes by stay.
    #
    # @api private
    class SettingsReload
      # Settings that only a new start changes: the supervisor goes by them, or hands what they
      # open to all generations.
      KEPT = (%i[listen tls workers].flat_map { |section| Settings.section(section).map(&:name) } -
        %i[worker_requests] +
        %i[hard_timeout log log_level log_format metrics slow_request]).freeze

      # What is served then.
      Result = ::Data.define(:application, :options, :hooks)

      # @param said [Options] before it was settled how many Ractors there are
      # @yieldreturn [Array(Application, Hooks, Hash)] the last is what {Options.build} takes
      def initialize(said, log, &read)
        @said = said
        @log = log
        @read = read
      end

      # @param application [Application] of before
      # @param options [Options] of before
      # @raise [Exception] what the file raises, and what is wrong with it
      def call(application, options)
        fresh, hooks, given = @read.call
        fresh.load_to(application.how)
        fresh.execution = application.execution
        asked = Options.build(given)
        warn_of(KEPT.reject { |name| asked.public_send(name) == @said.public_send(name) })
        Result.new(fresh, asked.with(**KEPT.to_h { |name| [name, options.public_send(name)] }),
          hooks)
      end

      private

      def warn_of(names)
        if names.any?
          @log.warn("a restart does not change #{names.join(", ")}: stop the server and start it " \
            "anew for that")
        end
      end
    end
  end
end
