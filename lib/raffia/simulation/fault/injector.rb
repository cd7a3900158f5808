# frozen_string_literal: true

require_relative "plan"

module Raffia
  module Simulation
    module Fault
      # The faults of one run. Each chance is a choice of the run: it is recorded and replayed, and
      # shrinks to "no fault".
      #
      # @api private
      class Injector
        # Share of the sites that are on in a run, and of the kinds with `faults: :swarm`.
        SITES = 0.25
        SWARM = 0.5
        # Seconds that the wall clock is set by, and that an operation on a slow disk takes.
        STEPS = [1, -1, 3600, -3600].freeze
        DELAYS = [0.01, 0.1, 1.0].freeze
        # Reasons of waits at which a thread may be killed.
        KILLABLE = %i[block sleep io].freeze
        private_constant :SITES, :SWARM, :STEPS, :DELAYS, :KILLABLE

        # Kinds that are on in this run, and what has happened: text => times.
        attr_reader :kinds, :injected
        # Whether `pause` is on: asked at each step.
        attr_reader :pauses
        alias_method :pauses?, :pauses

        def initialize(world, settings)
          @world = world
          @swarm = settings.faults == :swarm
          @kinds = Fault.probabilities(settings.faults)
          @budget = settings.max_faults
          @plan = Plan.new
          @sites = {}
          @injected = ::Hash.new(0)
          @pauses = false
        end

        # Chooses the kinds that are on. The world begins.
        def draw
          @kinds = @kinds.select { flip(SWARM) } if @swarm
          @pauses = @kinds.key?(:pause)
          @world.clock.step = -> { clock_step } if @kinds.key?(:clock)
        end

        # Whether a fault of the kind happens now. +place+: for the report.
        def happens?(kind, place = nil)
          strikes?(kind) && spend(place ? "#{kind} at #{place}" : kind.to_s)
        end

        # Like FoundationDB's buggify: a site is on in a quarter of all runs, and then strikes with
        # the probability.
        def site?(name, probability)
          return note("site #{name}") if @plan.visit(name)
          return false if @healed || @world.thread_scheduler.uninterrupted?

          on = @sites.fetch(name) { @sites[name] = flip(SITES) }
          on && chance?(probability) && spend("site #{name}")
        end

        # Raises one of the errors, if a system call is to fail here.
        def system_call(site, *errors)
          error = @plan.visit(site)
          if error
            note("#{name(error)} at #{site}")
          elsif strikes?(:errors)
            error = errors[@world.choose(errors.size)]
            spend("#{name(error)} at #{site}")
          end
          raise error if error
        end

        # Bytes that a call for `count` bytes may take: fewer by chance.
        def bytes(count, site)
          return count unless count.is_a?(::Integer) && count > 1 && happens?(:short_io, site)

          1 + @world.choose(count - 1)
        end

        # Seconds that an operation on a file takes; 0 as a rule.
        def delay(site) = happens?(:slow_disk, site) ? DELAYS[@world.choose(DELAYS.size)] : 0

        # A thread is about to wait, and may be killed there. Not the main one, nor one that waits
        # for its own fibers.
        def wait(thread, reason)
          return unless @kinds.key?(:kill) && KILLABLE.include?(reason)
          return if thread.main? || thread.daemon

          thread.interrupts.post(Interrupts::KILL) if happens?(:kill, "a wait of #{thread.label}")
        end

        # The running task is about to wait. Another thread cancels it, at any time from now on.
        def task_wait
          return unless @kinds.key?(:cancel)

          task = Task.current
          return unless task && happens?(:cancel, "a wait of a task")

          @world.start([], daemon: true, name: "cancel by chance") { task.cancel("by chance") }
        end

        # The wall clock is read: seconds that it has been set by just now.
        def clock_step = happens?(:clock) ? STEPS[@world.choose(STEPS.size)] : 0

        def plan(error, site:, nth:) = @plan.add(error, site: site, nth: nth)

        # No fault happens by chance from now on.
        def heal
          @healed = true
          @kinds = {}
          @pauses = false
        end

        # For the failure; nil without faults.
        def report
          return unless @swarm || @injected.any?

          on = "on in this run: #{@kinds.keys.join(", ")}" if @swarm && !@healed
          done = @injected.map { |what, times| (times == 1) ? what : "#{what} (#{times} times)" }
          done = "happened: #{done.join(", ")}" unless done.empty?
          ["faults", *on, *done].join("; ")
        end

        private

        def strikes?(kind)
          probability = @kinds[kind] or return false

          !@world.thread_scheduler.uninterrupted? && chance?(probability)
        end

        def chance?(probability) = !@budget&.zero? && flip(probability)

        def flip(probability) = @world.decisions.flip(probability, @world.clock.now)

        def spend(what)
          @budget -= 1 if @budget
          note(what)
        end

        def note(what)
          @injected[what] += 1
          @world.note(:note, nil, "fault: #{what}")
          true
        end

        def name(error) = error.is_a?(::Class) ? error.name : error.class.name
      end
    end
  end
end
