# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        # Violations of what holds for flows. They come from a loss of keys, or from other programs
        # that remove jobs.
        # @api private
        class FlowCheck
          PAGE = 1000

          def initialize(redis, inspection)
            @redis = redis
            @inspection = inspection
          end

          # @return [Array<String>]
          def violations = Flows::STATUSES.flat_map { |status| of_status(status) } + without_jobs

          private

          def of_status(status)
            each_page(status).flat_map do |ids|
              states(ids, status).filter_map { |id, *state| violation(id, status, *state) }
            end
          end

          def violation(id, list, status, steps, held, listed)
            return "flow #{id} is listed as #{list}, and is #{status || "gone"}" if
              listed && status != list
            return if steps.to_i == held

            "flow #{id} counts #{steps} steps, and has #{held}"
          end

          # Ids with status, counted steps, recorded steps, and whether they are in a list.
          def states(ids, list = nil)
            found = @redis.with(safe: true) do |connection|
              connection.multi do |all|
                ids.each do |id|
                  all.call("HMGET", "raffia:flow:#{id}", "status", "steps")
                  all.call("HLEN", "raffia:flow_steps:#{id}")
                  all.call("ZSCORE", "raffia:flows:#{list}", id)
                end
              end
            end
            ids.zip(found.each_slice(3)).map { |id, (fields, *rest)| [id, *fields, *rest] }
          end

          def without_jobs
            open = (Flows::STATUSES - Flows::ENDED).flat_map { |status| each_page(status).to_a }
              .flatten
            return [] if open.empty?

            # A flow may end, and its job may move, meanwhile.
            lost = states(open - jids).reject { |id, *| @inspection.find(id) }.map(&:first)
            states(lost).filter_map do |id, status, *|
              unless status.nil? || Flows::ENDED.include?(status)
                "flow #{id} is #{status}, and has no job"
              end
            end
          end

          def jids
            @redis.with(safe: true) do |connection|
              collections = Store::SETS.flat_map { |set| Collections.all(connection, set) }
              Collections.each_entry(connection, collections).map(&:jid)
            end
          end

          def each_page(status)
            Enumerator.new do |pages|
              from = 0
              loop do
                ids = @redis.call("ZRANGE", "raffia:flows:#{status}", from, from + PAGE - 1)
                break if ids.empty?

                pages << ids
                from += ids.size
              end
            end
          end
        end
      end
    end
  end
end
