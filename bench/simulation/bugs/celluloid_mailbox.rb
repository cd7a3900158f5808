# frozen_string_literal: true

# celluloid#500, fixed by #502: a mailbox calls its listener while it holds its lock; the listener
# posts to another mailbox, whose listener posts to the first. Fixed: call it after the lock.
module SimulationBench
  module CelluloidMailbox
    class Mailbox
      attr_writer :listener

      def initialize
        @lock = Monitor.new
        @messages = []
        @listener = nil
      end

      def post(message, hops = 1)
        @lock.synchronize do
          @messages.push(message)
          notify(message, hops)
        end
      end

      def size = @messages.size

      private

      def notify(message, hops)
        @listener.post(message, hops - 1) if hops.positive?
      end
    end

    class UnlockingMailbox < Mailbox
      def post(message, hops = 1)
        @lock.synchronize { @messages.push(message) }
        notify(message, hops)
      end
    end

    def self.run(type)
      first = type.new
      second = type.new
      first.listener = second
      second.listener = first
      threads = [first, second].map { |mailbox| Thread.new { mailbox.post(:hello) } }
      threads.each(&:join)
      SimulationBench.check(first.size == 2 && second.size == 2, "a message was lost")
    end
  end

  model "celluloid_mailbox", source: "celluloid#500", fault: "a listener called under the lock",
    needs: [:preempt], buggy: ->(_sim) { CelluloidMailbox.run(CelluloidMailbox::Mailbox) },
    fixed: ->(_sim) { CelluloidMailbox.run(CelluloidMailbox::UnlockingMailbox) }
end
