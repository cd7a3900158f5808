# frozen_string_literal: true

module Celluloid
  module ClassMethods
    # When its `initialize` raises, there is no actor.
    def new(*arguments, **keywords, &block)
      raffia_start(Cell.spawn(self)) do |proxy|
        proxy._send_(:initialize, *arguments, **keywords, &block)
      end
    end
    alias_method :spawn, :new

    def new_link(*arguments, **keywords, &block)
      raise NotActorError, "can't link outside actor context" unless Celluloid.actor?

      cell = Cell.spawn(self)
      Actor.cell!.link(cell)
      raffia_start(cell) { |proxy| proxy._send_(:initialize, *arguments, **keywords, &block) }
    end
    alias_method :spawn_link, :new_link

    def run(...) = Actor.join(new(...))

    # The method to call, instead of ending too, when a linked actor has ended.
    def trap_exit(*name) = exit_handler_name(*name)

    # Without names: no other task of an actor of this class runs while one waits. With names: while
    # one of these methods waits.
    def exclusive(*names)
      names.empty? ? exclusive_actor(true) : exclusive_methods(*exclusive_methods, *names)
    end

    def actor_system = Celluloid.actor_system

    # The Task of the actors: the class's; threads for methods that use theirs; else as set for all.
    def raffia_task_class
      task_class || (raffia_uses_threads? ? Task::Threaded : Celluloid.task_class)
    end

    def raffia_cell_class = Cell

    def ===(other) = other.is_a?(self)

    private

    # Asked once: methods that are defined after the first actor do not count.
    def raffia_uses_threads?
      return @raffia_uses_threads if defined?(@raffia_uses_threads)

      @raffia_uses_threads = Internals::ThreadUse.in?(self)
    end

    # An actor whose caller never gets it would live for ever.
    def raffia_start(cell)
      yield cell.proxy
      begun = true
      cell.proxy
    ensure
      cell.terminate unless begun
    end
  end

  # Instance methods of actors' classes, beyond {Celluloid} itself.
  module InstanceMethods
    # The object behind the actor, which does not protect calls from outside.
    def bare_object = self
    alias_method :wrapped_object, :bare_object

    # Whether this is used outside of its actor.
    def leaked? = !instance_variable_get(OWNER_IVAR).equal?(::Thread.current[:celluloid_actor])

    def tap
      yield current_actor
      current_actor
    end

    def registered_name = Actor.registered_name
    alias_method :name, :registered_name

    def inspect
      return "..." if Celluloid.detect_recursion

      variables = (instance_variables - [OWNER_IVAR]).map do |name|
        " #{name}=#{instance_variable_get(name).inspect}"
      end
      label = leaked? ? BARE_OBJECT_WARNING_MESSAGE : "Celluloid::Proxy::Cell"
      "#<#{label}(#{self.class}:0x#{object_id.to_s(16)})#{variables.join}>"
    end
  end
end
