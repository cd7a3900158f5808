# frozen_string_literal: true

module Raffia
  module Jobs
    class Store
      # Finds claims of living workers that these do not work on. A store that came back with older
      # data has some, until the workers have compared ({Worker::Reconciliation}).
      # @api private
      module UnknownClaims
        # Seconds that a claim may be older than the heartbeat that does not name it.
        MARGIN = 2
        # Most jobs that a heartbeat names.
        NAMED = 1000

        module_function

        # Violations, for people. The processes are read before the claims; a claim is a jid, the
        # token of the lease, and the time of the claim.
        def find(processes, claims)
          workers = comparable(processes)
          claims.filter_map do |jid, token, at|
            worker = workers[token]
            next if worker.nil? || at > worker["beat"] - MARGIN || works_on?(worker, jid)

            "job #{jid} is claimed by #{worker["identity"]}, which does not work on it"
          end
        end

        def comparable(processes)
          processes.select { |one| one["lease"] && one.key?("work") && one["work"].size < NAMED }
            .to_h { |one| [one["lease"], one] }
        end

        # Sidekiq's format has the id in the payload only.
        def works_on?(worker, jid)
          worker["work"].any? { |job| (job["jid"] || Payload.fields(job["payload"])["jid"]) == jid }
        end
      end
    end
  end
end
