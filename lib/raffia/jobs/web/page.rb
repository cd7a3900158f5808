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

      # Outcome of a change: its name, the number of jobs, and the page that shows it.
      # @api private
      Outcome = Data.define(:done, :count, :to, :query)

      # A page: data for programs, and the context of its template.
      # @api private
      class Page
        include Views
        include Format
        include Links

        # Path, label, and the set that is counted.
        NAVIGATION = [["/", "Home"], ["/queues", "Queues", :queue], ["/busy", "Busy", :running],
          ["/scheduled", "Scheduled", :scheduled],
          ["/retries", "Retries", :retry], ["/dead", "Dead", :dead],
          ["/blocked", "Blocked", :blocked], ["/recurring", "Recurring"],
          ["/batches", "Batches"], ["/workflows", "Workflows"], ["/functions", "Functions"],
          ["/metrics", "Metrics"],
          ["/processes", "Processes"]].each(&:freeze).freeze
        # Messages after a change. A link can select one of them, and not add text.
        DONE = {"retried" => "to be run now", "deleted" => "deleted",
                "killed" => "moved to the dead ones", "moved" => "moved", "run" => "enqueued"}.freeze
        ACTIONS = {"paused" => "It is paused.", "resumed" => "It is resumed.",
                   "told" => "The worker gets the order with its next heartbeat.",
                   "cancelled" => "The job's worker gets the order with its next heartbeat.",
                   "traced" => "The job's worker is asked where it is: that shows below with its " \
                     "next heartbeat.",
                   "ending" => "It ends: jobs that wait are removed, and those that run are " \
                     "cancelled.",
                   "stopping" => "It ends at its next step, and its children at theirs.",
                   "unchanged" => "Nothing was changed."}.freeze
        private_constant :DONE, :ACTIONS

        attr_reader :request, :web

        def initialize(request, web)
          @request = request
          @web = web
        end

        def store = web.store

        def status = 200

        def title = self.class.name[/\w+\z/]

        def body = public_send(:"view_#{self.class.name[/\w+\z/].downcase}")

        def document
          main = body # first, because errors of the store occur here
          view_layout(main).to_s
        end

        # The parts that a refresh replaces.
        def parts
          {"title" => heading, "nav" => view_navigation.to_s, "main" => body.to_s,
           "totals" => totals}
        end

        # Totals, if the page shows their growth.
        def totals = nil

        def data = raise(NotImplementedError)

        # Executes an action and returns its {Outcome}. Raises ConfigError for an unknown one.
        def change(action)
          raise(ConfigError, "#{action.inspect} is nothing that can be done here")
        end

        def counts = @counts ||= store.counts

        # Counts up to the limit that the store can count quickly.
        def sizes = @sizes ||= store.counts(most: store.countable)

        def refresh = web.refresh

        # One of {#sizes}, with a + at the limit.
        def size(count) = "#{number(count)}#{"+" if store.countable && count >= store.countable}"

        private

        def heading = "#{title} · #{web.title}"

        def notice
          done = request["done"]
          return ACTIONS[done] if ACTIONS.key?(done)

          if DONE.key?(done)
            "#{count(request.number("count"), "job is", "jobs are")} #{DONE[done]}."
          end
        end

        def navigation = NAVIGATION.map { |to, label, set| [to, label, set && sizes[set]] }

        # Whether this entry of the navigation leads to this page or its parent.
        def current?(to) = request.path == to

        def outcome(done, count, to = request.path, **query)
          Outcome.new(done:, count:, to:, query:)
        end

        def required(name)
          request[name] || raise(ConfigError, "say which one: #{name} is not given")
        end
      end
    end
  end
end
