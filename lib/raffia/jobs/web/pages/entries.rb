# frozen_string_literal: true

require_relative "../../bulk_change"
require_relative "../page"
require_relative "../pager"
require_relative "../selection"
require_relative "confirmation"

module Raffia
  module Jobs
    class Web
      module Pages
        # Jobs of a set, or of a queue.
        class Entries < Page
          PAGE = 50
          # Limit of jobs in an answer to programs.
          MAX = 1000
          # Path of each set's page.
          PATHS = {queue: "/queue", scheduled: "/scheduled", retry: "/retries", dead: "/dead",
                   blocked: "/blocked"}.freeze
          TITLES = {queue: "Queue", scheduled: "Scheduled", retry: "Retries", dead: "Dead",
                    blocked: "Blocked"}.freeze
          # Actions of each set, with the labels of their buttons.
          ACTIONS = {
            queue: {"kill" => "Move to dead", "delete" => "Delete"},
            scheduled: {"retry" => "Run now", "kill" => "Move to dead", "delete" => "Delete"},
            retry: {"retry" => "Retry now", "kill" => "Move to dead", "delete" => "Delete"},
            dead: {"retry" => "Retry", "delete" => "Delete"},
            blocked: {"retry" => "Put into its queue", "delete" => "Delete"}
          }.freeze
          # Meaning of an entry's time.
          WHEN = {scheduled: "Due", retry: "Next try", dead: "Since", blocked: "Since",
                  queue: "Enqueued"}.freeze

          attr_reader :set, :queue

          def initialize(request, web, set)
            super(request, web)
            @set = set
            @queue = required("queue") if set == :queue
          end

          def title = (set == :queue) ? "Queue #{queue}" : TITLES.fetch(set)

          def data
            shown = self.shown
            {"set" => set, "queue" => queue, "match" => match, "offset" => pager.offset,
             "total" => pager.total, "tenants" => (tenants unless tenants.empty?),
             "entries" => shown.map(&:data)}.compact
          end

          # Keys of a fair queue with the most waiting jobs.
          def tenants = @tenants ||= (set == :queue) ? store.tenants(queue) : []

          # Actions are "retry" for the selected jobs, "retry KEY" for one, "retry all" for all that
          # match.
          def change(action)
            return outcome("unchanged", 0, **query, offset: request["offset"]) if action == "none"

            return move if action == "move" && set == :queue
            return pause(action) if %w[pause resume].include?(action) && set == :queue

            action, key = action.split(" ", 2)
            return super(action.to_s) unless ACTIONS.fetch(set).key?(action)
            return all(action) if key == "all"

            keys = key ? [key] : request.list("key")
            outcome(Selection::DONE.fetch(action), selection.change(action, keys, pager), **query,
              offset: request["offset"])
          end

          def current?(to) = (set == :queue) ? to == "/queues" : super

          private

          def match = (request["match"] unless request["match"].to_s.empty?)

          def query = {queue:, match:}

          def selection = Selection.new(store, set, queue, match)

          def all(action)
            unless request["sure"] || request.api?
              return Confirmation.new(request, web, question(action), **query)
            end

            outcome(Selection::DONE.fetch(action), selection.change_all(action), **query)
          end

          # Jobs of one key.
          def pause(action)
            store.public_send(action, queue, tenant: required("tenant"))
            outcome("#{action}d", 1, **query)
          end

          # All jobs of the queue that match.
          def move
            to = required("to")
            Client::PayloadBuilder.check_queue(to)
            raise ConfigError, "they are in the queue #{to} already" if to == queue

            change = BulkChange.new(store, [set], JobFilter.new(**query))
            moved = change.call(seconds: Selection::TIME_LIMIT) { |jobs| store.move(jobs, to) }
            outcome("moved", moved, **query)
          end

          def question(action)
            which = match ? "that contain “#{match}”" : "(about #{number(total)})"
            where = (set == :queue) ? "in the queue #{queue}" : "of #{TITLES.fetch(set).downcase}"
            "#{ACTIONS.fetch(set).fetch(action)}: all jobs #{where} #{which}?"
          end

          def shown
            @shown ||=
              pager.cut(store.entries(set, queue:, offset: pager.offset,
                limit: pager.limit + 1, match:)).map { |entry| JobPresenter.new(entry) }
          end

          def pager
            @pager ||= Pager.new(self, limit, total: (total unless match), about: true, **query)
          end

          def limit = request.api? ? request.number("limit", PAGE, MAX).clamp(1..) : PAGE

          def total = (set == :queue) ? queue_data["size"] : counts[set]

          def queue_data
            @queue_data ||= store.queues.find { |one| one["name"] == queue } ||
              {"name" => queue, "size" => 0, "latency" => 0, "paused" => false}
          end

          def actions = web.read_only? ? {} : ACTIONS.fetch(set)

          def time(job) = (set == :queue) ? job.time("enqueued_at") : job.entry.at
        end
      end
    end
  end
end
