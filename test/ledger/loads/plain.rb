# frozen_string_literal: true

module Ledger
  # One job of each kind that matters to what may be lost.
  class Job
    include Raffia::Job

    options retry: 10
    retry_in { 0.2 }

    # How long it takes, how it ends, and what it does meanwhile.
    KINDS = %w[quick sleep compute fork fail enqueue].freeze

    def perform(kind, mark, *)
      HISTORY.note(:began, [jid])
      send(kind, mark)
      HISTORY.note(:ended, [jid])
    end

    private

    def quick(_) = nil

    def sleep(_) = Kernel.sleep(0.01)

    def compute(_) = 2_000.times { |n| n.to_s }

    # Meanwhile others' transactions are under way in this process. A store in memory knows no
    # other processes.
    def fork(_)
      return unless Raffia::Jobs.store.shared?

      pid = Kernel.fork { exit!(0) }
      ::Process.wait(pid)
    end

    def fail(_)
      raise "the first time" unless run.item["retry_count"]
    end

    # From inside of a job, one more is kept.
    def enqueue(mark)
      Loads.kept("plain", [Job.perform_async("quick", mark)])
    end
  end

  module Loads
    # Jobs without options, singly and many at once.
    module Plain
      SHARE = 32
      RARE = Job::KINDS - %w[quick sleep]

      module_function

      def supported?(_) = true

      def kind(random)
        (random.rand < 0.1) ? RARE.sample(random: random) : %w[quick sleep].sample(random: random)
      end

      def produce(random, mark)
        size = (random.rand < 0.3) ? 1 : random.rand(2..200)
        list = Array.new(size) { |n| [kind(random), mark - n] }
        Loads.kept("plain", Loads.insist { enqueue(random, list) })
        size
      end

      def enqueue(random, list)
        return [Job.perform_async(*list.first)] if list.one?
        return Job.perform_bulk(list, spread: 1) if random.rand < 0.1

        Job.perform_bulk(list)
      end
    end
  end
end
