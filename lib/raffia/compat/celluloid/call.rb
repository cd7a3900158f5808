# frozen_string_literal: true

module Celluloid
  # A message that asks an actor to call one of its methods.
  class Call < ::Raffia::Actor::Message
    class << self
      # Waits for the answer. +own+: whether private methods may be called, too. Raises
      # DeadActorError, and Raffia::CallCycle when the actor waits, exclusively, for the caller.
      def sync(cell, name, arguments, keywords, block, own)
        task = ::Thread.current[:celluloid_task]
        # A thread inherits the call that it was started in, but that call does not wait for it.
        call = Sync.new(cell, name, arguments, keywords, block, own, task &&
          ::Raffia::Actor::Message.current)
        call.refuse_cycle
        (task.nil? || task.exclusive?) ? call.wait_blocking(task) : call.wait_suspended(task)
      rescue ::Raffia::ActorDied => error
        raise unless error.ref.equal?(cell.ref)

        raise DeadActorError, "attempted to call a dead actor: #{name}"
      end

      def async(cell, name, arguments, keywords, own)
        cell.deliver(Async.new(cell, name, arguments, keywords, nil, own, nil), false)
      rescue ::Raffia::ActorDied
        Internals::Logger.debug("Discarded message (mailbox is dead): #{name}")
      end

      def future(cell, name, arguments, keywords, own)
        call = Sync.new(cell, name, arguments, keywords, nil, own, nil)
        call.reply = Future.new
        cell.deliver(call, false)
        call.reply
      rescue ::Raffia::ActorDied
        raise DeadActorError, "attempted to call a dead actor: #{name}"
      end
    end

    # Makes the same call for another actor, whose answer goes to +reply+.
    def forward_to(cell, reply)
      Sync.new(cell, @name, @arguments, @keywords, @block, false, (self if awaited?))
        .tap { |call| call.reply = reply }
    end

    attr_writer :reply
    alias_method :cell, :core
    attr_accessor :task

    alias_method :method, :name

    def initialize(cell, name, arguments, keywords, block, own, parent)
      keywords = nil if keywords&.size == 0 # nil costs less than an empty Hash
      super(cell, name, arguments, keywords, block, nil, nil, parent)
      @own = own
    end

    def root = parent.is_a?(Call) ? parent.root : self

    def chain_id = root.equal?(self) ? (@chain_id ||= Celluloid.uuid) : root.chain_id

    # Raises AbortError when the actor has no such method, or not for these arguments.
    def invoke(subject)
      check(subject)
      block = receivers_block
      return subject.__send__(@name, *@arguments, **@keywords, &block) if @own && @keywords
      return subject.__send__(@name, *@arguments, &block) if @own
      return subject.public_send(@name, *@arguments, **@keywords, &block) if @keywords

      subject.public_send(@name, *@arguments, &block)
    end

    # Fails the caller with an error that the method meant for it.
    def aborted(error) = reply&.fail(error.cause)

    def answer(value) = reply&.settle(value)

    def broken(error) = reply&.fail(error)

    # Whether the caller does nothing else until it is answered.
    def awaited? = false

    def inspect = "#{cell.label}##{name}"

    private

    def check(subject)
      cell.signature(@name, subject, @own).check(@arguments, @keywords)
    rescue NameError, ArgumentError => error
      raise AbortError, (error.is_a?(NameError) ? undefined(subject) : error)
    end

    def undefined(subject)
      NoMethodError.new("undefined method '#{@name}' for an instance of #{subject.class}", @name,
        receiver: cell.proxy)
    end

    def receivers_block = @block && (cell.runs_block?(@name) ? @block.to_proc_here : @block.to_proc)

    # Without an answer.
    class Async < Call
      def aborted(error)
        Internals::Logger.debug("#{cell.actor_class}: async call `#{name}` " \
          "aborted!\n#{Internals::Logger.format_exception(error.cause)}")
      end
    end

    # With an answer.
    class Sync < Call
      def awaited? = !reply.is_a?(Future)

      # Lets the actor of the task continue with other messages meanwhile.
      def wait_suspended(task)
        @reply = task.arm
        @block &&= Internals::SendersBlock.new(@block, cell: task.cell)
        cell.deliver(self, true)
        return task.suspend(:callwait) unless (limit = Celluloid.call_timeout)

        begin
          timer = task.cell.group.after(limit) { reply.fail(late(limit)) && nil }
          task.suspend(:callwait)
        ensure
          timer&.cancel
        end
      end

      # For threads without a task, and exclusive tasks.
      def wait_blocking(task)
        raise "Cannot execute blocks on sender in exclusive mode" if @block && task
        return wait_and_serve if @block

        @reply = ::Raffia::Waiter.new
        cell.deliver(self, true)
        answer = @reply.wait(limit = Celluloid.call_timeout)
        ::Raffia::Waiter::TIMED_OUT.equal?(answer) ? raise(late(limit)) : answer
      end

      def refuse_cycle
        return unless parent.is_a?(Call)

        chain = ::Raffia::Actor::WaitGraph.chain(parent)
        index = chain.index { |call| call.cell.equal?(cell) && call.task&.exclusive? } or return
        circle = [self, *chain.take(index + 1)].reverse.map(&:inspect)
        raise ::Raffia::CallCycle.new("these calls wait for each other, and the first one " \
          "exclusively: #{circle.join(" -> ")}. Use async for one of them, or let the first not " \
          "be exclusive", calls: circle)
      end

      private

      def late(limit) = TaskTimeout.new("#{inspect} has not answered within #{limit} seconds")

      # The block runs here, whenever the actor yields.
      def wait_and_serve
        thread = Internals::CallerThread.new
        @reply = thread
        @block = Internals::SendersBlock.new(@block, thread: thread)
        cell.deliver(self, true)
        thread.serve(limit = Celluloid.call_timeout) { raise late(limit) }
      end
    end
  end
end
