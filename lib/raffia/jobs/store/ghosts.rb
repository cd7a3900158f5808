# frozen_string_literal: true

module Raffia
  module Jobs
    class Store
      # Finds claims of living workers that these do not work on: a store that came back with older
      # data has some, until the workers have compared ({Worker::Reconciliation}).
      #
      # @api private
      module Ghosts
        # Seconds that a claim may be older than the sign of life that does not name it.
        MARGIN = 2
        # Most jobs that a sign of life names.
        NAMED = 1000

        module_function

        # @param processes [Array<Hash>] as {Store#processes} had them before the claims were read
        # @param claims [Array<Array(String, Integer, Float)>] jid, token of the lease, time of the
        #   claim
        # @return [Array<String>] what is wrong
        def find(processes, claims)
          workers = processes.select { |one|
            one["lease"] && one.key?("work") &&
              one["work"].size < NAMED
          }.to_h { |one| [one["lease"], one] }
          claims.filter_map do |jid, token, at|
            worker = workers[token]
            if worker.nil? || at > worker["beat"] - MARGIN ||
                worker["work"].any? { |job| jid_of(job) == jid }
              next
            end

            "job #{jid} is claimed by #{worker["identity"]}, which does not work on it"
          end
        end

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
