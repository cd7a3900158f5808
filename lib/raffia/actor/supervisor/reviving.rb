# frozen_string_literal: true

module Raffia
  class Supervisor
    # What a supervisor does when a child has ended.
    #
    # @api private
    module Reviving
      private

      # @param turn [Integer] the child's, when that was said: what has happened to it since may
      #   have made this stale
      def child_ended(child, turn, reason)
        return unless child.ended?(turn)
        return retire(child, reason) unless child.spec.restart?(reason)

        give_up(child, reason) unless @restarts.allow?
        revive(child, reason)
      end

      def retire(child, reason)
        child.die(reason)
        @family.delete(child) if child.spec.restart == :temporary
        stop(:shutdown) if child.spec.significant? && over?
      end

      def over?
        case @plan.auto_shutdown
        when :any_significant then true
        when :all_significant then @family.none? { |child| child.spec.significant? && !child.dead? }
        end
      end

      def give_up(child, reason)
        error = GaveUp.new("#{@raffia_core.label} gives up: more than #{@plan.intensity} " \
        "restarts in #{@plan.period} seconds, " \
          "the last one for #{child.spec.id.inspect}: #{Cancel.describe(reason)}",
          child: child.spec.id, reason: reason)
        Raffia.instrument.emit(:supervisor_gave_up) do
          {ref: ref, child: child.spec.id, reason: reason}
        end
        raise error
      end

      def revive(child, reason)
        seconds = child.wait_before_restart(@plan)
        halt_others(child)
        return resume(child, child.turn, reason) unless seconds.positive?

        child.later(seconds, Notice.new(@raffia_core, :resume, child, child.turn, reason))
      end

      def halt_others(child)
        @family.affected(child).reverse_each do |other|
          next if other.equal?(child)

          temporary = other.spec.restart == :temporary
          other.terminate(!temporary)
          @family.delete(other) if temporary
        end
      end

      # One that fails to start is told like any other end: by a notice, so that many of them are no
      # deep recursion.
      def resume(child, turn, reason)
        return unless child.ended?(turn)

        @family.affected(child).each do |one|
          one.begin
          Raffia.instrument.emit(:actor_restart) do
            {ref: one.ref, reason: one.equal?(child) ? reason : :shutdown,
             restarts: one.core.stats[:restarts]}
          end
        rescue => error
          return failed_to_start(one, error)
        end
      end

      def failed_to_start(child, error)
        Actor.log_error("#{child.label} was not restarted", error)
        @raffia_core.urge(Notice.new(@raffia_core, :child_ended, child, child.turn, error))
      end
    end
  end
end
