# frozen_string_literal: true

module Raffia
  class Actor
    # @!group To override

    # When the actor begins, and after each restart. It may call other actors.
    # @return [void]
    def on_start = nil

    # When a fresh object has taken the place of one that has ended, after `on_start`.
    # @param reason [Object, nil] why that one has ended: an error, or :shutdown where a sibling's
    #   restart was the reason
    # @return [void]
    def on_restart(reason) = nil

    # When its object ends: stopped, killed, or by an error.
    # @param reason [Object, nil]
    # @return [void]
    def on_stop(reason) = nil

    # When a linked actor has ended, with `trap_exit: true`.
    # @param ref [Ref]
    # @param reason [Object, nil]
    # @return [void]
    def on_exit(ref, reason) = nil

    # @!endgroup

    private

    # @return [Ref] this actor, to hand to others: `self` is only for its own methods
    def ref = @raffia_core.ref

    # Has the block run here, as a message to this actor, after some time.
    # @param seconds [Numeric]
    # @return [#cancel]
    def after(seconds, &block) = @raffia_core.start_timer(Deadline.seconds(seconds), false, &block)

    # The same, again and again. One that is due while the last one still waits is left out.
    # @param seconds [Numeric]
    # @return [#cancel]
    def every(seconds, &block) = @raffia_core.start_timer(Deadline.seconds(seconds), true, &block)

    # When one of the two ends by anything but :normal, so does the other; or is told, by `on_exit`,
    # if it traps exits.
    # @param other [Ref]
    # @return [void]
    def link(other) = @raffia_core.link(other.raffia_core)

    # @param other [Ref]
    # @return [void]
    def unlink(other) = @raffia_core.unlink(other.raffia_core)

    # Has the block run here, as work of this actor, when the other has ended; unless this one has
    # ended before, or has begun again.
    # @param other [Ref]
    # @yieldparam ref [Ref]
    # @yieldparam reason [Object, nil]
    # @return [Object] for {demonitor}
    def monitor(other, &block)
      @raffia_core.monitor(other.raffia_core) { |ref, reason| instance_exec(ref, reason, &block) }
    end

    # @return [void]
    def demonitor(other, handle) = @raffia_core.demonitor(other.raffia_core, handle)

    # Ends this actor when it has done what it does now, and what waits.
    # @return [void]
    def stop(reason = :normal) = @raffia_core.stop(reason)

    # Answers the caller with an error that is only his: this actor goes on.
    # @param error [Exception, Class, String]
    def refuse(error)
      error = Error.new(error) if error.is_a?(String)
      error = error.new if error.is_a?(Class)
      raise Message.current.refusal = error
    end

    # The caller is not answered by what the method returns, but by whoever calls this later.
    # @return [Answer] with `settle(value)` and `fail(error)`, for any fiber or thread; when the
    #   actor ends before, the caller gets {ActorDied}
    # @example
    #   def next_event = @waiting << answer_later
    #   def publish(event) = @waiting.shift&.settle(event)
    def answer_later = Message.current.postpone

    def raffia_attach(core) = @raffia_core = core
  end
end
