# frozen_string_literal: true

require_relative "format"
require_relative "links"
require_relative "job_presenter"
require_relative "template"

module Raffia
  module Jobs
    class Web
      # Pages, by the paths of {Routes}.
      # @api private
      module Pages
      end

      # Outcome of a change: what was done to how many jobs, and the page that shows it.
      # @api private
      Outcome = Data.define(:done, :count, :to, :query)

      # A page: data for programs, and the object that its template is evaluated in.
      # @api private
      class Page
        include Views
        include Format
        include Links

        # Address, label, and the set that is counted.
        NAVIGATION = [["/", "Home"], ["/queues", "Queues", :queue], ["/busy", "Busy", :running],
          ["/scheduled", "Scheduled", :scheduled],
          ["/retries", "Retries", :retry], ["/dead", "Dead", :dead],
          ["/blocked", "Blocked", :blocked], ["/recurring", "Recurring"],
          ["/batches", "Batches"], ["/metrics", "Metrics"],
          ["/processes", "Processes"]].each(&:freeze).freeze
        # Messages after a change. A link only selects one of them.
        DONE = {"retried" => "to be run now", "deleted" => "deleted",
                "killed" => "moved to the dead ones", "run" => "enqueued"}.freeze
        ACTIONS = {"paused" => "It is paused.", "resumed" => "It is resumed.",
                   "told" => "The worker is told: it acts with its next heartbeat.",
                   "cancelled" => "The job's worker is told: it acts with its next heartbeat.",
                   "traced" => "The job's worker is asked where it is: that shows below with its " \
                     "next heartbeat.",
                   "unchanged" => "Nothing was changed."}.freeze
        private_constant :DONE, :ACTIONS

        attr_reader :request
        attr_reader :web

        def initialize(request, web)
          @request = request
          @web = web
        end

        def store = web.store

        # HTTP status.
        def status = 200

        def title = self.class.name[/\w+\z/]

        def body = public_send(:"view_#{self.class.name[/\w+\z/].downcase}")

        # The HTML document.
        def document
          main = body # first: what is wrong with the store shows here
          view_layout(main).to_s
        end

        # The parts that a refresh replaces.
        def parts
          {"title" => heading, "nav" => view_navigation.to_s, "main" => body.to_s,
           "totals" => totals}
        end

        # Totals whose growth the page shows.
        def totals = nil

        # For programs.
        def data = raise(NotImplementedError)

        # Raises ConfigError for an action that the page does not have.
        def change(action)
          raise(ConfigError, "#{action.inspect} is nothing that can be done here")
        end

        def counts = @counts ||= store.counts

        # Counts up to the limit that the store counts at once.
        def sizes = @sizes ||= store.counts(most: store.countable)

        # Seconds.
        def refresh = web.refresh

        # +count+: of {#sizes}.
        # With a + at the limit.
        def size(count) = "#{number(count)}#{"+" if store.countable && count >= store.countable}"

        private

        def heading = "#{title} · #{web.title}"

        # Message about the last change.
        def notice
          done = request["done"]
          return ACTIONS[done] if ACTIONS.key?(done)

          if DONE.key?(done)
            "#{count(request.number("count"), "job is", "jobs are")} #{DONE[done]}."
          end
        end

        def navigation = NAVIGATION.map { |to, label, set| [to, label, set && sizes[set]] }

        # Whether the entry of the navigation leads to this page, or to its parent.
        def current?(to) = request.path == to

        def outcome(done, count, to = request.path, **query)
          Outcome.new(done: done, count: count, to: to, query: query)
        end

        # Raises ConfigError.
        def required(name)
          request[name] || raise(ConfigError, "say which one: #{name} is not given")
        end
      end
    end
  end
end
