# frozen_string_literal: true

module Raffia
  module Jobs
    class Store
      # Finds claims of living workers that these do not work on. A store that came back with older
      # data has some, until the workers have compared ({Worker::Reconciliation}).
      #
      # @api private
      module UnknownClaims
        # Seconds that a claim may be older than the heartbeat that does not name it.
        MARGIN = 2
        # Most jobs that a heartbeat names.
        NAMED = 1000

        module_function

        # @param processes [Array<Hash>] of {Leases#processes}, read before the claims
        # @param claims [Array<Array(String, Integer, Float)>] jid, token of the lease, time of the
        #   claim
        # @return [Array<String>] violations, for people
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

        def works_on?(worker, jid) = worker["work"].any? { |job| jid_of(job) == jid }

        # Sidekiq's format has it in the payload only.
        def jid_of(job)
          job["jid"] || Payload.load(job["payload"])["jid"]
        rescue BadPayload
          nil
        end
      end
    end
  end
end
