# frozen_string_literal: true

# SCTBench's bluetooth_driver: an operation looks whether the driver stops, then counts itself in;
# stop sees no operation between the two and frees the driver. Fixed: count in, then look.
module SimulationBench
  module BluetoothDriver
    class Driver
      def initialize
        @lock = Mutex.new
        @stopping = false
        @stopped = false
        @pending = 1 # the driver itself
        @idle = Queue.new
      end

      def operate
        return if stopping?

        enter
        work
        leave
      end

      def stop
        @stopping = true
        leave
        @idle.pop
        @stopped = true
      end

      private

      def stopping? = @stopping

      def enter = @lock.synchronize { @pending += 1 }

      def leave = @lock.synchronize { (@pending -= 1).zero? && @idle.push(true) }

      def work = SimulationBench.check(!@stopped, "an operation runs on a driver that has stopped")
    end

    class CountingDriver < Driver
      def operate
        enter
        work unless stopping?
        leave
      end
    end

    def self.run(driver)
      operation = Thread.new { driver.operate }
      driver.stop
      operation.join
    end
  end

  model "bluetooth_driver", source: "SCTBench bluetooth_driver",
    fault: "looks, then counts itself in",
    needs: [:preempt], buggy: ->(_sim) { BluetoothDriver.run(BluetoothDriver::Driver.new) },
    fixed: ->(_sim) { BluetoothDriver.run(BluetoothDriver::CountingDriver.new) }
end
