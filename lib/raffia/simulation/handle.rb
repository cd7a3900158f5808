# frozen_string_literal: true

module Raffia
  module Simulation
    # The argument of a run's block: the world as the program sees it.
    class Handle
      # @api private
      def initialize(world)
        @world = world
      end

      # @return [Integer] the seed of the run
      def seed = @world.seed

      # @return [Float] virtual seconds since the start of the run
      def now = @world.clock.elapsed

      # Lets virtual time go on.
      # @param seconds [Numeric]
      # @return [void]
      def sleep(seconds)
        ::Kernel.sleep(seconds)
        nil
      end

      # Waits until nothing else can run without time going on.
      # @return [void]
      def settle = @world.time.settle

      # A choice of the run: drawn from the seed, recorded, replayed and shrunk towards 0.
      # @param count [Integer]
      # @return [Integer] 0...count
      def choose(count) = @world.choose(count)

      # Adds a line to the timeline of a failure; other runs ignore it.
      # @param text [#to_s]
      # @return [void]
      def note(text)
        @world.note(:note, nil, text)
        nil
      end

      # @return [Random] drawn from the seed
      def random = @world.random

      # A place at which the program may behave badly though correctly: retry, answer late, give up.
      # In a quarter of all runs the place is on, and then the fault happens with the probability;
      # see also {Simulation.fault?}.
      # @param name [Symbol, String] of the place
      # @param probability [Numeric]
      # @return [Boolean] whether it happens now
      def fault(name, probability = 0.25) = @world.faults.site?(name, probability)

      # Plans a fault: the nth visit of a place from now on raises the error.
      # @param error [Class, Exception, true] true for a place of {#fault}, which then says true
      # @param at [String, Symbol] such as "File#write", "File.open", "BasicSocket#readpartial", or
      #   the name of a place of {#fault}
      # @param nth [Integer]
      # @return [void]
      # @raise [ConfigError]
      def inject(error = true, at:, nth: 1)
        CoreMethods.install_faults
        @world.faults.plan(error, site: at, nth: nth)
        nil
      end

      # Ends all faults by chance, and lets all packets through: what the run checks from now on
      # must hold. With names of hosts: only the links between them are healed.
      # @param one [String, Array<String>, nil] a host or several
      # @param other [String, Array<String>, nil] nil: all others
      # @return [void]
      def heal(one = nil, other = nil)
        @world.faults.heal unless one
        @world.network.heal(one, other)
        nil
      end

      # @return [Network] its latency, bandwidth and limits can be set
      def network = @world.network

      # @return [Network::Names] names of the simulated DNS
      def dns = network.names

      # Runs the block in a thread of a new host, and in a new one when the host starts again.
      # Threads that it starts belong to the host. They need not end before the run.
      # @param name [String] by which other hosts reach it
      # @param restart [Numeric, nil] seconds after a crash; nil: only by {#restart}
      # @return [Host]
      # @raise [ConfigError] the name is taken
      def host(name, restart: nil, &block)
        raise ConfigError, "a host needs a block: its program" unless block

        network.add_host(name, restart: restart, &block).tap(&:start)
      end

      # Ends a host's threads at once: their `ensure` does not run before the run has ended.
      # @param name [String]
      # @param peers [Symbol] :reset: connections are reset, later connects are refused; :silence:
      #   nothing answers until the host starts again
      # @return [void]
      def crash(name, peers: :reset)
        network.host(name).crash(peers: peers)
        nil
      end

      # Crashes the host if it runs, and runs its block again.
      # @param name [String]
      # @return [void]
      def restart(name)
        network.host(name).restart
        nil
      end

      # Ends a host's threads by Thread#kill, waits for them, and closes the host's sockets.
      # @param name [String]
      # @return [void]
      def stop(name)
        network.host(name).stop
        nil
      end

      # Drops packets between hosts until {#heal}. TCP sends them again.
      # @param one [String, Array<String>] a host or several
      # @param other [String, Array<String>, nil] nil: all others
      # @param direction [Symbol] :to (from +one+ to +other+), :from or :both
      # @return [void]
      def partition(one, other = nil, direction: :both)
        network.links(one, other, direction).each(&:partition)
      end

      # Keeps packets between hosts until {#release}, in their order.
      # @param (see #partition)
      # @return [void]
      def hold(one, other = nil, direction: :both)
        network.links(one, other, direction).each(&:hold)
      end

      # Delivers what {#hold} has kept.
      # @param (see #partition)
      # @return [void]
      def release(one, other = nil, direction: :both)
        network.links(one, other, direction).each(&:heal)
      end

      # Resets the connections between two hosts: both sides see ECONNRESET.
      # @param one [String]
      # @param other [String]
      # @return [void]
      def reset(one, other) = network.reset(one, other)

      # Moves the wall clock of a host. The monotonic clock does not move.
      # @param name [String]
      # @param seconds [Numeric] negative: back
      # @return [void]
      def clock_step(name, seconds)
        network.host(name).step_clock(VirtualClock.nanoseconds(seconds))
        nil
      end

      # Lets the wall clock of a host go too fast from now on.
      # @param name [String]
      # @param rate [Numeric] 0.001: a second gains a millisecond; negative: too slow
      # @return [void]
      def clock_drift(name, rate)
        network.host(name).drift_clock(rate)
        nil
      end

      # Gives each host a value of its own of an instance variable, such as a class's: hosts share
      # one Ruby. A host begins without the variable, or with the block's value, again after a
      # crash. The block of the run itself keeps the value that is there.
      # @param object [Object] a class, as a rule
      # @param name [Symbol] such as :@pool
      # @return [void]
      # @raise [ConfigError]
      def per_host(object, name, &initial)
        if @world.running.host
          raise ConfigError, "sim.per_host is for the block of the run: call it before sim.host"
        end

        @world.host_variables.add(object, name, initial)
        nil
      end

      # Declares what must hold at each choice of the run, whichever thread is between which two
      # steps. The run fails as soon as it does not. The block must not wait, not even for a lock.
      # @param name [String]
      # @yieldreturn [Boolean]
      # @return [void]
      def invariant(name, &block)
        raise ConfigError, "an invariant needs a block: what must hold" unless block

        @world.invariants.add(name, block)
        nil
      end

      # Waits until the block returns something truthy.
      # @param within [Numeric] virtual seconds
      # @return [Object] what the block returned
      # @raise [LivenessViolation] it did not in time
      def eventually(within: 60)
        limit = now + within
        pause = within / 1000.0
        until (result = yield)
          if now >= limit
            raise LivenessViolation, "what must happen within #{within} s has not happened"
          end

          sleep([pause, limit - now].min)
          pause = [pause * 2, within / 50.0].min
        end
        result
      end

      # Runs the block in a thread of the simulation at a time. An error in it ends the run.
      # @param seconds [Numeric] since the start of the run
      # @return [Thread]
      def at(seconds, &block)
        thread = @world.start([], daemon: true, name: "at #{seconds}") do
          delay = seconds - now
          sleep(delay) if delay.positive?
          block.call
        end
        thread.abort_on_exception = true
        thread
      end

      # Declares that the thread may be left at the end of the run.
      # @param thread [Thread]
      # @return [Thread]
      def daemon(thread) = thread.tap { thread.daemon = true }

      # Runs the block outside of the simulation. The world stands still meanwhile.
      # @return [Object] the block's value
      def real = @world.outside { yield }
    end
  end
end
