# frozen_string_literal: true

require_relative "../../base/clock"
require_relative "job_presenter"

module Raffia
  module Jobs
    class Web
      # Some entries of a set, or all of those that are looked for.
      # @api private
      class Selection
        # By action: what the store is asked for, and what it is called afterwards.
        CALLS = {"retry" => :requeue, "delete" => :delete, "kill" => :kill}.freeze
        DONE = {"retry" => "retried", "delete" => "deleted", "kill" => "killed"}.freeze
        # How many are changed in one step, and how far from where it was an entry is looked for.
        STEP = 500
        # Seconds that one request may go on.
        PATIENCE = 20

        def initialize(store, set, queue, match)
          @store = store
          @set = set
          @queue = queue
          @match = match
        end

        # @param keys [Array<String>] see {JobPresenter#key}
        # @param pager [Pager] where they were
        # @return [Integer] how many were still there
        def change(action, keys, pager)
          near = page([pager.offset - STEP, 0].max, pager.limit + STEP * 2)
            .to_h { |entry| [JobPresenter.new(entry).digest, entry] }
          entries = keys.uniq.filter_map { |key| near[key[/\A\h+/]] || far(key) }
          entries.empty? ? 0 : @store.public_send(CALLS.fetch(action), entries)
        end

        # One page after the other; what changes goes away, what does not is passed over. Not more
        # than there are now: what is retried may come back.
        # @return [Integer] how many were changed: there are more if that took too long
        def change_all(action)
          return @store.clear(@set, queue: @queue) if action == "delete" && @match.nil?

          begun = Clock.now
          left = @store.counts[@set]
          changed = passed = 0
          while left.positive? && Clock.now < begun + PATIENCE &&
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

        # It has moved since the page was shown.
        def far(key)
          digest, jid = key.split(" ", 2)
          return unless jid && (found = @store.find(jid))

          found if found.set == @set && JobPresenter.new(found).digest == digest
        end
      end
    end
  end
end
