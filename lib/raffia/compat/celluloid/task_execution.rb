# frozen_string_literal: true

module Celluloid
  # Runs an actor's tasks: one at a time, and others while one of them waits. Code of the actor runs
  # only in the fiber or thread that executes it. A task releases the actor while it waits, and
  # acquires it again through the mailbox.
  #
  # @api private
  class TaskExecution < ::Raffia::Actor::Execution
    # A block that runs in its turn and is no call. A reply fails when it never runs.
    class Order < ::Raffia::Actor::Message
      def initialize(cell, block, reply = nil)
        super(cell, :order, nil, nil, block, reply, nil, nil)
      end
    end

    attr_writer :object

    def initialize(cell)
      super
      @life = 0
    end

    attr_reader :scope

    # The work of an executor that has begun is over.
    def supersede = @life += 1

    def clear
      supersede
      super
    end

    # Other tasks run while the block waits. It returns, or raises, when this task executes the
    # actor again.
    def release_during
      scope = @scope
      more = @core.lock.hold do
        @scope = nil
        @core.queue.empty? ? @lifecycle.release : true
      end
      @core.wake if more
      yield
    ensure
      @scope = scope
    end

    def resume(suspension)
      now = @core.lock.hold { @core.dead? || @lifecycle.acquire || requeue(suspension) }
      # A task that has stopped waiting leaves the execution to what waits.
      @core.wake if now && !suspension.take && !@core.dead?
    end

    def work
      more = ::Raffia::Deadline.replace(nil) do
        @executor.enter(@core) { |scope| work_through(scope) }
      end
      @core.wake if more
    rescue ::Raffia::Cancel
      @core.finish(@lifecycle.exit_signal&.reason)
    rescue Exception => error # standard:disable Lint/RescueException
      # An error of a logger, say, ends this actor, and not the loop of all of them.
      ::Raffia::Actor.log_error("#{@core.label} failed in the midst of it", error)
      @core.die(error)
    end

    # Runs a block that has no caller as a task: an error there ends the actor.
    def perform_task(type, name = nil)
      task = @core.new_task(type, name)
      task.run { @executor.expose(@scope) { yield } }
    rescue AbortError => error
      Internals::Logger.debug("#{@core.actor_class}: #{type} aborted!\n" \
        "#{Internals::Logger.format_exception(error.cause)}")
    rescue TaskTerminated
      nil
    rescue Exception => error # standard:disable Lint/RescueException
      raise if @lifecycle.exit_signal

      @core.crash(error)
      pass_on(error)
    end

    # `exit` is for the whole program, as with Ruby's own threads, unless a caller that it can reach
    # waits here.
    def pass_on(error) = error.is_a?(::SystemExit) && ::Thread.main.raise(error)

    private

    # An error comes before what follows it, such as the end of a linked actor.
    def requeue(suspension)
      suspension.failed? ? @core.queue.urge(suspension) : @core.queue.append(suspension)
      nil
    end

    # Whether there is more to do, for the next executor.
    def work_through(scope)
      ::Raffia::Actor::Message.clear_current
      life = @core.lock.hold { (@scope = scope) && @life }
      BATCH.times do
        item = @core.lock.hold { take(life) } or return false

        case item
        when Order then item.block.call
        when Internals::Suspension then return false if item.take
        else perform(item)
        end
      end
      true
    end

    def take(life)
      return unless life == @life

      check_signal
      @core.queue.shift || @lifecycle.release
    end

    def perform(call)
      return if call.unwanted?

      @handled += 1
      task = @core.new_task(:call, call.name, root: call.root)
      call.task = task
      call.answer(task.run { call.handle { @executor.expose(@scope) { call.invoke(@object) } } })
    rescue AbortError => error
      call.aborted(error)
    rescue TaskTerminated => error
      call.broken(error)
    rescue Exception => error # standard:disable Lint/RescueException
      raise killed(call) if @lifecycle.exit_signal

      failed(call, error)
    end

    # Ends the actor, then answers the caller, then notifies the links. A linked caller would
    # otherwise be ended before its answer.
    def failed(call, error)
      @core.begin_end
      answered = call.broken(error) && call.awaited?
      @core.crash(error)
    ensure
      pass_on(error) unless answered
    end

    def killed(call)
      reason = @lifecycle.exit_signal.reason
      call.broken(::Raffia::ActorDied.new(ref: @core.ref, reason: reason))
      ::Raffia::Cancel.new(reason, origin: @core)
    end
  end
end
