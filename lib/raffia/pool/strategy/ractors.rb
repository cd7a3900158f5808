# frozen_string_literal: true

require_relative "../ractors/heap_room"
require_relative "../ractors/lone_ractor_seat"
require_relative "../overseen_seat"
require_relative "../ractors/portable_block"
require_relative "../ractors/ractor_seat"
require_relative "../crew/thread_crew"

module Raffia
  class Pool
    module Strategy
      # In Ractors: Ruby code on every core in one process, for blocks that share nothing.
      module Ractors
        module_function

        def workers(options) = options.workers || Strategy.default_workers

        # Longer than with processes: whenever a Ractor waits, it gives its native thread away and
        # has to get one again.
        def target = 0.05

        def crew = ThreadCrew

        # For pools that live on.
        def standing_crew = ThreadCrew

        def seats(plan, input, sizer, options)
          unless defined?(::Ractor)
            raise ConfigError, "on: :ractors needs Ractors, which this Ruby does not have: use " \
              "on: :threads"
          end

          if options.move && options.retries.positive?
            raise ConfigError, "move: and retries: exclude each other: what was moved to a " \
              "Ractor is not here any more for another attempt"
          end

          block = PortableBlock.share(plan.block)
          limit = options.item_timeout
          return -> { LoneRactorSeat.new(plan, limit) } unless block

          # From outside one sees how long a chunk takes, and not its items.
          sizer.at_most(1) if limit

          shared = ::Ractor.make_shareable(plan.with(block: block, seed: seed(plan.seed)))
          room = HeapRoom.new
          -> {
            OverseenSeat.over(RactorSeat.new(shared, input, sizer, room, move: options.move), limit)
          }
        end

        def around = yield

        def portable? = false

        def seed(value)
          ::Ractor.make_shareable(value, copy: true)
        rescue ::Ractor::Error, TypeError => error
          raise NotShareable, "the initial value (#{value.class}) cannot go to another Ractor " \
            "(#{error.message}): start from plain data"
        end
      end
    end
  end
end
