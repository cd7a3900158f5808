# frozen_string_literal: true

require_relative "../page"
require_relative "../pager"
require_relative "confirmation"

module Raffia
  module Jobs
    class Web
      module Pages
        # Queues, possibly a thousand.
        class Queues < Page
          PAGE = 100

          def data = store.queues

          def change(action)
            name = required("queue")
            case action
            when "pause" then store.pause(name)
            when "resume" then store.resume(name)
            when "clear" then return clear(name)
            else super
            end
            outcome("#{action}d", 1, back, **search)
          end

          private

          # Where the outcome is shown.
          def back = "/queues"

          def search = {match: request["match"]}

          def clear(name)
            unless request["sure"] || request.api?
              return Confirmation.new(request, web, "Delete all jobs in the queue #{name}?",
                queue: name,
                **search)
            end

            outcome("deleted", store.clear(:queue, queue: name), back, **search)
          end

          def found
            match = request["match"].to_s.downcase
            @found ||= match.empty? ? store.queues : store.queues
              .select { |queue| queue["name"].downcase.include?(match) }
          end

          def shown = found[pager.offset, PAGE] || []

          def pager = @pager ||= Pager.new(self, PAGE, total: found.size, **search)
        end
      end
    end
  end
end
