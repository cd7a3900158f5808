# frozen_string_literal: true

require_relative "../../base/clock"
require_relative "job_presenter"

module Raffia
  module Jobs
    class Web
      # Selected entries of a set, or all that match a search.
      # @api private
      class Selection
        # The store's method, and the outcome, by action.
        CALLS = {"retry" => :requeue, "delete" => :delete, "kill" => :kill}.freeze
        DONE = {"retry" => "retried", "delete" => "deleted", "kill" => "killed"}.freeze
        # Entries in one step, and the distance within which a moved entry is searched.
        STEP = 500
        # Seconds of one request.
        TIME_LIMIT = 20

        def initialize(store, set, queue, match)
          @store = store
          @set = set
          @queue = queue
          @match = match
        end

        # Changes the entries with these {JobPresenter#key}s, which were at the pager's position,
        # and returns the number of changed ones.
        def change(action, keys, pager)
          near = page([pager.offset - STEP, 0].max, pager.limit + STEP * 2)
            .to_h { |entry| [JobPresenter.new(entry).digest, entry] }
          entries = keys.uniq.filter_map { |key| near[key[/\A\h+/]] || find_moved(key) }
          entries.empty? ? 0 : @store.public_send(CALLS.fetch(action), entries)
        end

        # Returns the number of jobs that it changed within the time limit. Works page by page, and
        # skips entries that do not change. Retried jobs may come back, so it stops at the number of
        # entries at the start.
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
          @store.entries(@set, queue: @queue, offset:, limit:, match: @match)
        end

        # Finds an entry that has moved since the page was rendered.
        def find_moved(key)
          digest, jid = key.split(" ", 2)
          return unless jid && (found = @store.find(jid))

          found if found.set == @set && JobPresenter.new(found).digest == digest
        end
      end
    end
  end
end
