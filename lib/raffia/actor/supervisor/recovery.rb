# frozen_string_literal: true

module Raffia
  class Actor
    class Supervisor
      # Counts the restarts of the last seconds against OTP's intensity and period.
      #
      # @api private
      class RestartIntensity
        def initialize(intensity, period)
          @intensity = intensity
          @period = period
          @times = []
        end

        # Counts one more restart, and returns whether there may be that many.
        def allow?(now = Clock.now)
          return true unless @intensity

          @times << now
          @times.shift while @times.first < now - @period
          @times.size <= @intensity
        end
      end

      # Restarts children that have ended, by the strategy, or gives up.
      #
      # @api private
      class Recovery
        def initialize(core, spec, children)
          @core = core
          @spec = spec
          @children = children
          @intensity = RestartIntensity.new(spec.intensity, spec.period)
        end

        # With an outdated generation, the child has been started or ended again meanwhile.
        def child_ended(child, generation, reason)
          return unless child.ended?(generation)
          return retire(child, reason) unless child.spec.restart?(reason)

          give_up(child, reason) unless @intensity.allow?
          revive(child, reason)
        end

        # A child that fails to start is reported like any other end, by a message. So many of them
        # make no deep recursion.
        def resume(child, generation, reason)
          return unless child.ended?(generation)

          @children.affected(child).each do |one|
            one.start_or_restart
            Raffia.instrument.emit(:actor_restart) do
              {ref: one.ref, reason: one.equal?(child) ? reason : :shutdown,
               restarts: one.core.stats[:restarts]}
            end
          rescue => error
            return failed_to_start(one, error)
          end
        end

        private

        def retire(child, reason)
          child.die(reason)
          @children.delete(child) if child.spec.restart == :temporary
          @core.stop(:shutdown) if child.spec.significant? && complete?
        end

        def complete?
          case @spec.auto_shutdown
          when :any_significant then true
          when :all_significant
            @children.none? { |child| child.spec.significant? && !child.dead? }
          end
        end

        def give_up(child, reason)
          text = "#{@core.label} gives up: more than #{@spec.intensity} restarts in " \
            "#{@spec.period} seconds, the last one for #{child.spec.id.inspect}: " \
            "#{Cancel.describe(reason)}"
          Raffia.instrument.emit(:supervisor_gave_up) do
            {ref: @core.ref, child: child.spec.id, reason: reason}
          end
          raise GaveUp.new(text, child: child.spec.id, reason: reason)
        end

        def revive(child, reason)
          seconds = child.wait_before_restart(@spec)
          halt_others(child)
          return resume(child, child.generation, reason) unless seconds.positive?

          child.later(seconds, message(:resume, child, reason))
        end

        def halt_others(child)
          @children.affected(child).reverse_each do |other|
            next if other.equal?(child)

            temporary = other.spec.restart == :temporary
            other.terminate(!temporary)
            @children.delete(other) if temporary
          end
        end

        def failed_to_start(child, error)
          Actor.log_error("#{child.label} was not restarted", error)
          @core.urge(message(:child_ended, child, error))
        end

        def message(name, child, reason)
          ControlMessage.new(@core, name, child, child.generation, reason)
        end
      end
    end
  end
end
