# frozen_string_literal: true

module Raffia
  module Process
    class Supervisor
      # A rolling restart: a new forker loads, then each slot in turn gets a worker of it. When the
      # code does not load, or a worker does not boot, the restart ends, and the old workers go on.
      #
      # @api private
      class RollingRestart
        attr_reader :phase, :last

        def initialize(manager, replacements, loop)
          @manager = manager
          @forkers = manager.forkers
          @replacements = replacements
          @loop = loop
          @log = loop.settings.log
          @phase = :idle
          @generation = 1
        end

        attr_reader :generation

        def begin
          return @again = true unless @phase == :idle

          @log&.info("restarting")
          @loop.hook(:on_restart)
          @forker = @forkers.add(@forkers.current.next(@generation += 1))
          @phase = :loading
          @loop.reloading("restarting")
        rescue SystemCallError => error
          abort("its process cannot be started: #{error.message}")
        end

        def step
          step_loading if @phase == :loading
          failed = @replacements.step
          failed(nil, failed) if failed
          step_rolling if @phase == :rolling
        end

        # A slot that was to be removed, and was left out meanwhile, serves again.
        def join(slot)
          unless slot.forker.equal?(@forkers.current)
            @replacements.add(slot, @forkers.current, "restart")
          end
        end

        def needed = [@forker, *@manager.slots.map(&:forker)].compact

        # A worker could not take over.
        def failed(slot, forker)
          return if forker.nil? || !forker.equal?(@forker)

          abort("#{slot ? "worker #{slot.index}" : "a worker"} of generation " \
            "#{forker.generation} could not be started")
        end

        private

        def step_loading
          case @forker.state
          when :ready
            @phase = :rolling
            roll
          when :failed, :gone then abort("the new code could not be loaded")
          end
        end

        def roll
          old = @manager.slots.reject { |slot| slot.retired || slot.forker.equal?(@forker) }
          old.each { |slot| @replacements.add(slot, @forker, "restart") }
          old.any?
        end

        def step_rolling
          return abort("the process that forks the workers ended") if @forker.dead?

          finish unless @replacements.for?(@forker) || roll
        end

        def finish
          @forkers.current = @forker
          @log&.info("restarted: generation #{@forker.generation}")
          over(:done)
        end

        def abort(reason)
          @log&.error("THE RESTART HAS FAILED: #{reason}. Workers of the earlier generation go on.")
          @replacements.forget(@forker)
          over(:failed, reason)
        end

        def over(result, reason = nil)
          @last = {generation: @generation, result: result, reason: reason, at: Time.now.to_f}
          @phase = :idle
          @forker = nil
          @loop.reloaded(reason ? "restart failed: #{reason}" : "generation #{@generation}")
          again, @again = @again, false
          self.begin if again
        end
      end
    end
  end
end
