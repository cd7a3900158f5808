# frozen_string_literal: true

module Delayed
  # Decides which classes a stored job may name, and which methods it may call.
  #
  # A name is resolved only to ask whether it is a model, a mailer or a job. No object is made, and
  # no method is called, of anything else.
  #
  # @api private
  class Permission
    NAME = /\A[A-Z]\w*(?:::[A-Z]\w*)*\z/
    # Rails' own class methods that jobs may call. Others may define methods by text.
    CHANGES = %i[create create! delete delete_all delete_by destroy destroy_all destroy_by
      insert_all update update_all upsert_all touch_all reset_counters].freeze
    RAILS = /\A(?:#<Class:)?Active(?:Record|Model|Support)::/
    private_constant :NAME, :CHANGES, :RAILS

    def initialize
      @names = {}
      @methods = {}
      @lock = Mutex.new
    end

    def add(*names)
      @lock.synchronize { @names = {**@names, **names.to_h { |name| [name.to_s, true] }}.freeze }
      nil
    end

    # Permits objects of a class, and calls of one method.
    def add_method(name, method)
      @lock.synchronize do
        methods = {**@methods.fetch(name, {}), method.to_sym => true}.freeze
        @methods = {**@methods, name => methods}.freeze
      end
    end

    def listed?(name) = @names.key?(name)

    # The class of an object that has no method `perform`. Raises NotPermitted.
    def class_of(name)
      return resolve(name) if listed?(name) || @methods.key?(name)

      raise NotPermitted.of(name)
    end

    # The class of a job object.
    def job(name)
      found = resolve(name)
      return found if listed?(name) || (found.is_a?(Class) && found.method_defined?(:perform))

      raise NotPermitted.of(name)
    end

    # The class of a row.
    def model(name)
      found = resolve(name)
      (listed?(name) || model?(found)) ? found : raise(NotPermitted.of(name))
    end

    # A class or module whose methods may be called.
    def receiver(name)
      found = resolve(name)
      return found if listed?(name) || model?(found) || mailer?(found)

      raise NotPermitted.of(name)
    end

    # Raises NotPermitted unless a job may call this method.
    def check_call(target, name)
      found = target.is_a?(Module) ? target : target.class
      raise NotPermitted.method(found, name) if everybodys?(target, name)
      return if listed?(found.name) || asynchronous?(target, name)
      return if mailer?(found) && found.action_methods.include?(name.to_s)
      raise NotPermitted.of(found) unless model?(found)
      return if target.respond_to?(name) && (found != target || own?(target, name))

      raise NotPermitted.method(found, name)
    end

    private

    def resolve(name)
      unless NAME.match?(name)
        raise DeserializationError, "#{name.inspect[0, 100]} is no name of a class"
      end

      Object.const_get(name)
    rescue NameError => error
      raise DeserializationError, "there is no class #{name} in this worker: #{error.message}"
    end

    def model?(found) = descendant?(found, :ActiveRecord)

    def mailer?(found) = descendant?(found, :ActionMailer)

    def descendant?(found, library)
      found.is_a?(Class) && Object.const_defined?(library) &&
        found < Object.const_get(library)::Base
    end

    def asynchronous?(target, name)
      !target.is_a?(Module) &&
        target.class.ancestors.any? { |one| @methods.dig(one.name, name.to_sym) }
    end

    # Methods of every object or class, such as `system` and `instance_eval`, are no jobs.
    def everybodys?(target, name)
      owner = target.method(name).owner
      Object.ancestors.include?(owner) || Class.ancestors.include?(owner) ||
        (target.is_a?(Module) && owner == target.singleton_class && target == Kernel)
    rescue NameError
      false
    end

    def own?(model, name)
      CHANGES.include?(name.to_sym) || !RAILS.match?(model.method(name).owner.inspect)
    end
  end
end
