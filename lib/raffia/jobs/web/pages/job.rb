# frozen_string_literal: true

require_relative "../page"
require_relative "../running_job"
require_relative "entries"

module Raffia
  module Jobs
    class Web
      module Pages
        # One job.
        class Job < Page
          # Characters of a payload on the page; programs get the whole payload.
          SHOWN = 256 * 1024
          # Jobs that one request searches.
          MAX = 25_000
          # Not found among the jobs that were searched.
          Unseen = Class.new(NotFound)
          STATES = {queue: "waiting", scheduled: "scheduled", retry: "to be tried again",
                    blocked: "blocked", running: "running", dead: "dead"}.freeze

          def initialize(request, web)
            super
            @jid = required("jid")
            @job = JobPresenter.new(found || raise(missing))
          end

          attr_reader :job

          def title = job.name

          def current?(to)
            set = job.entry.set
            to == {**Entries::PATHS, queue: "/queues", running: "/busy"}[set]
          end

          def data = {**job.data, "run" => run&.work&.except("payload")}.compact

          def change(action)
            return super unless actions.key?(action)

            count = store.public_send(Selection::CALLS.fetch(action), [job.entry])
            if count.zero? || action == "delete"
              leave(action, count)
            else
              outcome(Selection::DONE.fetch(action), count, jid: @jid)
            end
          end

          private

          # Searches all jobs on demand, and for programs.
          def found = store.find(@jid, most: (MAX unless all?))

          def all? = request.api? || request.post? || !request["all"].nil?

          def missing
            if all? || sizes.values_at(*Store::SETS).sum <= MAX
              return NotFound.new("There is no job #{@jid}: it may have been done.", name: @jid)
            end

            Unseen.new("Job #{@jid} is not among the #{number(MAX)} that were looked through. " \
              "It may have been done.", name: @jid)
          end

          # Redirects to the job's set, because its page no longer exists.
          def leave(action, count)
            to = Entries::PATHS[job.entry.set]
            outcome(count.zero? ? "unchanged" : Selection::DONE.fetch(action), count, to || "/",
              queue: (job.entry.queue if to == "/queue"))
          end

          def actions = web.read_only? ? {} : Entries::ACTIONS.fetch(job.entry.set, {})

          def run
            return unless job.entry.set == :running

            @run ||= RunningJob.of(store.processes).find { |one| one.jid == @jid }
          end

          def times
            [["Created", job.time("created_at")], ["Enqueued", job.time("enqueued_at")],
              ["Failed first", job.time("failed_at")],
              ["Failed last", job.time("retried_at")],
              ["Expires", Payload.time(job.own["expires_at"])],
              [Entries::WHEN.fetch(job.entry.set, "Begun"), job.entry.at]]
              .select { |_, time| time }.uniq(&:last)
          end

          def payload = shorten(json(job.item, pretty: true), SHOWN)
        end
      end
    end
  end
end
