# frozen_string_literal: true

require_relative "../../base/clock"
require_relative "job_presenter"

module Raffia
  module Jobs
    class Web
      # Selected entries of a set, or all that match a search.
      # @api private
      class Selection
        # Of each action: the store's method, and the name of the outcome.
        CALLS = {"retry" => :requeue, "delete" => :delete, "kill" => :kill}.freeze
        DONE = {"retry" => "retried", "delete" => "deleted", "kill" => "killed"}.freeze
        # Entries in one step, and distance in which a moved entry is searched.
        STEP = 500
        # Seconds of one request.
        TIME_LIMIT = 20

        def initialize(store, set, queue, match)
          @store = store
          @set = set
          @queue = queue
          @match = match
        end

        # +keys+: see {JobPresenter#key}.
        # +pager+: where they were.
        # How many were found and changed.
        def change(action, keys, pager)
          near = page([pager.offset - STEP, 0].max, pager.limit + STEP * 2)
            .to_h { |entry| [JobPresenter.new(entry).digest, entry] }
          entries = keys.uniq.filter_map { |key| near[key[/\A\h+/]] || find_moved(key) }
          entries.empty? ? 0 : @store.public_send(CALLS.fetch(action), entries)
        end

        # Page by page; entries that do not change are passed over. Stops at the number of entries
        # at the start, because retried jobs may come back.
        # How many were changed before the time was up.
        def change_all(action)
          return @store.clear(@set, queue: @queue) if action == "delete" && @match.nil?

          begun = Clock.now
          left = @store.counts[@set]
          changed = passed = 0
          while left.positive? && Clock.now < begun + TIME_LIMIT &&
              (entries = page(passed, [STEP, left].min)).any?
            done = @store.public_send(CALLS.fetch(action), entries)
            changed += done
            passed += entries.size - done
            left -= entries.size
          end
          changed
        end

        private

        def page(offset, limit)
          @store.entries(@set, queue: @queue, offset: offset, limit: limit, match: @match)
        end

        # It has moved since the page was rendered.
        def find_moved(key)
          digest, jid = key.split(" ", 2)
          return unless jid && (found = @store.find(jid))

          found if found.set == @set && JobPresenter.new(found).digest == digest
        end
      end
    end
  end
end
