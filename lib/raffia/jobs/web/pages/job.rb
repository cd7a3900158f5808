# frozen_string_literal: true

require_relative "../page"
require_relative "../running_job"
require_relative "entries"

module Raffia
  module Jobs
    class Web
      module Pages
        # All that is known of one job.
        # @api private
        class Job < Page
          # Characters of a payload on the page; programs get all of it.
          SHOWN = 256 * 1024
          # How many jobs are looked through for one.
          MOST = 25_000
          # It may still be there.
          Unseen = Class.new(NotFound)
          STATES = {queue: "waiting", scheduled: "scheduled", retry: "to be tried again",
                    blocked: "blocked", running: "running", dead: "dead"}.freeze

          def initialize(request, web)
            super
            @jid = wanted("jid")
            @job = JobPresenter.new(found || raise(missing))
          end

          # @return [JobPresenter]
          attr_reader :job

          def title = job.name

          def here?(to)
            to ==
              {queue: "/queues", running: "/busy"}.fetch(job.entry
                .set) { |set| Routes::PAGES.key([Entries, set]) }
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

          # All are read where that is asked for, or a program waits for it.
          def found = store.find(@jid, most: (MOST unless all?))

          def all? = request.api? || request.post? || !request["all"].nil?

          def missing
            if all? || sizes.values_at(*Store::SETS).sum <= MOST
              return NotFound.new("There is no job #{@jid}: it may have been done.", name: @jid)
            end

            Unseen.new("Job #{@jid} is not among the #{number(MOST)} that were looked through. " \
              "It may have been done.", name: @jid)
          end

          # To where it was: there is no page of it any more.
          def leave(action, count)
            to = (job.entry.set == :queue) ? "/queue" : Routes::PAGES.key([Entries, job.entry.set])
            outcome(count.zero? ? "unchanged" : Selection::DONE.fetch(action), count, to ||
              "/", queue: (job.entry.queue if to == "/queue"))
          end

          def actions = web.read_only? ? {} : Entries::ACTIONS.fetch(job.entry.set, {})

          # @return [RunningJob, nil]
          def run
            return unless job.entry.set == :running

            @run ||= RunningJob.of(store.processes).find { |one| one.jid == @jid }
          end

          # @return [Array<Array>] what and when
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
