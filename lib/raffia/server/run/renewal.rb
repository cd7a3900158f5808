# frozen_string_literal: true

require_relative "../settings/options"
require_relative "../settings/hooks"

module Raffia
  class Server
    # What a restart brings besides code: the settings and hooks of raffia.rb, read anew in the
    # process that loads the application, once for each generation. What the supervisor itself goes
    # by stays as it was when it began.
    #
    # @api private
    class Renewal
      # What only a new start changes: the supervisor opens it, counts by it, or hands it to all
      # generations.
      KEPT = (Option::TABLE.filter_map { |row|
        row.name if %i[listen tls workers].include?(row.section)
      } - %i[worker_requests] +
        %i[hard_timeout log log_level log_format metrics slow_request]).freeze

      # What is served then.
      Result = ::Data.define(:application, :options, :hooks)

      # @param said [Options] before it was settled how many Ractors there are
      # @param log [Logger]
      # @yieldreturn [Array(Application, Hooks, Hash)] the last is what {Options.build} takes
      def initialize(said, log, &read)
        @said = said
        @log = log
        @read = read
      end

      # @param application [Application] of before
      # @param options [Options] of before
      # @return [Result]
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
