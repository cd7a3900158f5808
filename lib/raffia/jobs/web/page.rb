# frozen_string_literal: true

require_relative "format"
require_relative "links"
require_relative "job_presenter"
require_relative "template"

module Raffia
  module Jobs
    class Web
      # The pages, by where they are: {Routes}.
      # @api private
      module Pages
      end

      # What a change has come to: what was done, to how many, and which page shows it.
      # @api private
      Outcome = Data.define(:done, :count, :to, :query)

      # What all pages have. A page is data for programs, and the object that its template is
      # evaluated in.
      # @api private
      class Page
        include Views
        include Format
        include Links

        # What there is beside the content: address, label, and which count.
        NAVIGATION = [["/", "Home"], ["/queues", "Queues", :queue], ["/busy", "Busy", :running],
          ["/scheduled", "Scheduled", :scheduled],
          ["/retries", "Retries", :retry], ["/dead", "Dead", :dead],
          ["/blocked", "Blocked", :blocked], ["/recurring", "Recurring"],
          ["/batches", "Batches"], ["/metrics", "Metrics"],
          ["/processes", "Processes"]].each(&:freeze).freeze
        # What may be said after a change. The words are ours: a link cannot have others.
        DONE = {"retried" => "to be run now", "deleted" => "deleted",
                "killed" => "moved to the dead ones", "run" => "enqueued"}.freeze
        ACTIONS = {"paused" => "It rests now.", "resumed" => "It goes on.",
                   "told" => "The worker is told: it acts with its next sign of life.",
                   "cancelled" => "The job's worker is told: it acts with its next sign of life.",
                   "traced" => "The job's worker is asked where it is: that shows below with its " \
                     "next sign of life.",
                   "unchanged" => "Nothing was changed."}.freeze
        private_constant :DONE, :ACTIONS

        # @return [Request]
        attr_reader :request
        # @return [Web]
        attr_reader :web

        def initialize(request, web)
          @request = request
          @web = web
        end

        # @return [Store]
        def store = web.store

        # @return [Integer] of HTTP
        def status = 200

        # @return [String]
        def title = self.class.name[/\w+\z/]

        # @return [Html]
        def body = public_send(:"view_#{self.class.name[/\w+\z/].downcase}")

        # @return [String] all of it
        def document
          main = body # first: what is wrong with the store shows here
          view_layout(main).to_s
        end

        # @return [Hash] what is new
        def parts
          {"title" => heading, "nav" => view_navigation.to_s, "main" => body.to_s,
           "totals" => totals}
        end

        # @return [Hash, nil] counts of which the page shows the growth
        def totals = nil

        # @return [Object] for programs
        def data = raise(NotImplementedError)

        # @param action [String]
        # @return [Outcome, Page]
        # @raise [ConfigError] when there is no such action here
        def change(action)
          raise(ConfigError, "#{action.inspect} is nothing that can be done here")
        end

        # @return [Hash{Symbol => Integer}]
        def counts = @counts ||= store.counts

        # @return [Hash{Symbol => Integer}] the same, as far as that is done at once
        def sizes = @sizes ||= store.counts(most: store.countable)

        # @return [Integer, nil] seconds
        def refresh = web.refresh

        # @param count [Integer] of {#sizes}
        # @return [String] with a + where nobody has counted any further
        def size(count) = "#{number(count)}#{"+" if store.countable && count >= store.countable}"

        private

        def heading = "#{title} · #{web.title}"

        # @return [String, nil] what was done just before
        def notice
          done = request["done"]
          return ACTIONS[done] if ACTIONS.key?(done)

          if DONE.key?(done)
            "#{count(request.number("count"), "job is", "jobs are")} #{DONE[done]}."
          end
        end

        def navigation = NAVIGATION.map { |to, label, set| [to, label, set && sizes[set]] }

        # @return [Boolean] whether the page is, or belongs to, that of the navigation
        def here?(to) = request.path == to

        def outcome(done, count, to = request.path, **query)
          Outcome.new(done: done, count: count, to: to, query: query)
        end

        # @return [String]
        # @raise [ConfigError]
        def wanted(name)
          request[name] || raise(ConfigError, "say which one: #{name} is not given")
        end
      end
    end
  end
end
