# frozen_string_literal: true

module Celluloid
  # Class methods of actors.
  module ClassMethods
    # Makes an actor, and waits for its `initialize`.
    # Raises Exception what `initialize` raised; then there is no actor.
    def new(*arguments, **keywords, &block)
      raffia_begin(Cell.spawn(self)) do |proxy|
        proxy._send_(:initialize, *arguments, **keywords, &block)
      end
    end
    alias_method :spawn, :new

    # Makes an actor that is linked with the running one.
    # Raises NotActorError.
    def new_link(*arguments, **keywords, &block)
      raise NotActorError, "can't link outside actor context" unless Celluloid.actor?

      cell = Cell.spawn(self)
      Actor.cell!.link(cell)
      raffia_begin(cell) { |proxy| proxy._send_(:initialize, *arguments, **keywords, &block) }
    end
    alias_method :spawn_link, :new_link

    # Makes one and waits for its end.
    def run(...) = Actor.join(new(...))

    # Has the actor's method called when a linked actor has ended, with it and the reason, instead
    # of ending, too.
    def trap_exit(*name) = exit_handler_name(*name)

    # Without names: nothing of an actor of this class begins while it waits. With names: while one
    # of these methods waits.
    def exclusive(*names)
      names.empty? ? exclusive_actor(true) : exclusive_methods(*exclusive_methods, *names)
    end

    def actor_system = Celluloid.actor_system

    # {Task} of the actors: of the class; threads for methods that use theirs; else as set for all.
    def raffia_task_class
      task_class || (raffia_uses_threads? ? Task::Threaded : Celluloid.task_class)
    end

    # @api private
    def raffia_cell_class = Cell

    def ===(other) = other.is_a?(self)

    private

    # Asked once: methods that are defined after the first actor do not count.
    def raffia_uses_threads?
      return @raffia_uses_threads if defined?(@raffia_uses_threads)

      @raffia_uses_threads = Internals::ThreadUse.in?(self)
    end

    # Nobody would ever get to know an actor whose caller has not got it.
    def raffia_begin(cell)
      yield cell.proxy
      begun = true
      cell.proxy
    ensure
      cell.terminate unless begun
    end
  end
end
