# frozen_string_literal: true

require_relative "../../errors"
require_relative "kept"

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        # How jobs come in.
        module Entrance
          # All of them can come in, or none does.
          # @param drafts [Array<Draft>]
          # @raise [NotUnique, Error]
          def check_drafts(drafts)
            now = Time.now.to_f
            seen = Set[]
            drafts.each do |draft|
              next unless (own = draft.extras)

              batches.fetch(own["batch"]) if own["batch"]
              next unless (unique = own["unique"])

              key = unique["key"]
              if unique["conflict"] == "raise" && (seen.include?(key) || uniques.owner(key, now))
                raise NotUnique.new(key: key)
              end
              seen << key
            end
          end

          # @param draft [Draft]
          # @return [String, nil] its id; nil where another one keeps it out
          def let_in(draft)
            now = Time.now.to_f
            job = Kept.new(draft)
            return if job.unique && !room?(job, now)

            batches.add(job.batch)
            (draft.at && draft.at > now) ? put(job, :scheduled, at: draft.at) : put(job, :queue)
            uniques.take(job, now)
            job.jid
          end

          private

          def room?(job, now)
            other = uniques.owner(job.unique["key"], now) or return true
            unless job.unique["conflict"] == "replace" &&
                %i[queue scheduled retry blocked].include?(other.set)
              return false
            end

            take(other)
            uniques.free(other)
            finished(other, :done)
            true
          end
        end
      end
    end
  end
end
