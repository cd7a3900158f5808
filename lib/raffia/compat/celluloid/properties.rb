# frozen_string_literal: true

module Celluloid
  module Internals
    # Settings of a class that its subclasses inherit: read without an argument, set with one.
    module Properties
      def self.define(klass)
        klass.property :mailbox_class, default: Mailbox
        klass.property :proxy_class, default: Proxy::Cell
        klass.property :task_class
        klass.property :group_class
        klass.property :mailbox_size
        klass.property :mailbox_overflow, default: :drop
        klass.property :exclusive_actor, default: false
        klass.property :exclusive_methods, multi: true
        klass.property :execute_block_on_receiver, default: %i[after every receive], multi: true
        klass.property :finalizer
        klass.property :exit_handler_name
      end

      # +multi+: a list that values are added to.
      def property(name, default: nil, multi: false)
        variable = :"@#{name}"
        define_singleton_method(name) do |value = nil, *more|
          if !value.nil?
            instance_variable_set(variable, multi ? [value, *public_send(name), *more].uniq : value)
          elsif instance_variable_defined?(variable)
            instance_variable_get(variable)
          else
            superclass.respond_to?(name) ? superclass.public_send(name) : default
          end
        end
      end
    end
  end
end
