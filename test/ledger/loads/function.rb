# frozen_string_literal: true

module Ledger
  # A durable function. Each step's value is another one in each attempt, so two values of a step
  # show that it was recorded twice.
  class Function
    include Raffia::Durable

    options retry: 10
    retry_in { 0.2 }

    def call(kind, count)
      values = [draw(:first)]
      sleep_for(0.05)
      values.concat(parallel((1..count).to_a) { |number| draw(:part, number) })
      values.concat([*send(kind)])
      values << draw(:last)
      HISTORY.note(:returned, [jid])
      values
    end

    private

    def draw(name, *parts)
      value = step(name, *parts) { rand(1 << 40) }
      HISTORY.note(:value, ["#{jid}/#{[name, *parts].join("_")} #{value}"])
      value
    end

    def plain = draw(:plain)

    def failing
      step(:failing) { run.item["retry_count"] ? 1 : raise("the first time") }
    end

    # The signal comes from the producer, or from the end of the campaign.
    def waiting
      wait_for(:go).tap { |payload| HISTORY.note(:taken, ["#{jid} #{payload}"]) }
    end

    def parent = child(Child, 1)
  end

  # Is waited for by its parent.
  class Child
    include Raffia::Durable

    options retry: 10

    def call(count)
      sleep_for(0.05)
      step(:only) { count }
    end
  end

  # Its arguments and results are encrypted.
  class SealedFunction < Function
    options encrypt: true
  end

  module Loads
    # Durable functions.
    module Function
      SHARE = 18
      KINDS = %w[plain failing waiting parent].freeze
      # Jobs that one counts for: about as many as it is claimed.
      SIZE = 3
      # Started ones that wait for their signal.
      WAITING = []

      module_function

      def supported?(store) = Loads.supported? { store.cancel_flow("none") }

      def produce(random, _)
        signal(random)
        Array.new(random.rand(1..12)) { start(random) }.sum
      end

      # A start that failed is repeated as another function.
      def start(random)
        kind = KINDS.sample(random: random)
        count = random.rand(0..3)
        job = (random.rand < 0.2) ? SealedFunction : Ledger::Function
        id = Loads.insist { job.start(kind, count) }
        HISTORY.note(:kept_function, ["#{id} #{kind} #{count}"])
        WAITING << id if kind == "waiting"
        SIZE
      end

      # Sends some signals, most of them twice.
      def signal(random)
        WAITING.shift(random.rand(4)).each do |id|
          random.rand(1..3).times { send_signal(id, "go") }
          HISTORY.note(:signalled, [id])
        end
      end

      # A function that has ended had its signal by an earlier call.
      def send_signal(id, payload)
        Loads.insist { Raffia::Durable.signal(id, :go, payload, key: "go") }
      rescue Raffia::Durable::UnknownFlow
        nil
      end
    end
  end
end
