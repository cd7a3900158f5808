# frozen_string_literal: true

module Delayed
  # The call of a method, as a job.
  class PerformableMethod
    attr_accessor :object, :method_name, :args

    # Raises NoMethodError; ArgumentError for a row that is not saved.
    def initialize(object, method_name, args)
      unless object.respond_to?(method_name, true)
        raise NoMethodError, "undefined method `#{method_name}' for #{object.inspect}"
      end
      if object.respond_to?(:persisted?) && !object.persisted?
        raise ArgumentError, "job cannot be created for non-persisted record: #{object.inspect}"
      end

      @object = object
      @args = args
      @method_name = method_name.to_sym
    end

    def display_name
      object.is_a?(Module) ? "#{object}.#{method_name}" : "#{object.class}##{method_name}"
    end

    # JSON does not know keywords: a last Hash becomes some when the method has some.
    def perform
      return if object.nil?
      return object.send(method_name, *args) unless keywords?

      object.send(method_name, *args[..-2], **args.last)
    end

    private

    def keywords?
      args.last.is_a?(Hash) && args.last.each_key.all?(Symbol) &&
        object.method(method_name).parameters.any? { |kind, _| kind.start_with?("key") }
    rescue NameError
      false
    end
  end
end
