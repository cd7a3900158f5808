# frozen_string_literal: true

require_relative "../../jobs/explanation"
require_relative "subcommand"

module Raffia
  module CLI
    class Jobs < Command
      # Tells why a job is not running.
      class Explanation < Subcommand
        def explain(jid)
          found = Raffia::Jobs::Explanation.new(store).call(jid)
          unless found
            raise NotFound.new("there is no job #{jid}: it may have been done, deleted or " \
              "expired, or it was not enqueued because a unique job like it was there", name: jid)
          end

          answer(found) do
            ["#{found["class"]} #{jid}: #{found["set"]}, queue #{found["queue"]}",
              *found["reasons"].map { |one| "* #{one["reason"]}: #{one["message"]}" }]
              .map { |line| Text.plain(line) }
          end
        end
      end
    end
  end
end
