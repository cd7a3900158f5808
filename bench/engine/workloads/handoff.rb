# frozen_string_literal: true

require_relative "../workload"

module EngineBench
  # A token goes from one fiber to another and back, through queues.
  class Handoff < Workload
    private

    def call(count)
      there, back = Thread::Queue.new, Thread::Queue.new
      partner(there, back)
      (count / 2).times do |i|
        there << i
        @right += 2 if back.pop == i + 1
      end
      there.close
    end

    def partner(there, back) = spawn { answer(there, back) }

    def answer(there, back)
      while (token = there.pop)
        back << (token + 1)
      end
    end
  end

  # The same between a fiber and a thread that has no scheduler.
  class ThreadHandoff < Handoff
    private

    def partner(there, back) = Thread.new { answer(there, back) }
  end
end
