# frozen_string_literal: true

module Raffia
  module Compat
    module Parallel
      # Copies a thread's locals, thread variables and instance variables (Rails uses them). The
      # gem's children inherit the caller's; ours are forked by a thread of the pool and get a copy.
      #
      # @api private
      class ThreadLocals
        # Raffia's own belong to that one thread.
        OURS = /\Araffia_/
        private_constant :OURS

        def initialize(thread = Thread.current)
          @fiber = values(thread.keys) { |name| thread[name] }
          @variables = values(thread.thread_variables) { |name| thread.thread_variable_get(name) }
          @instance = values(thread.instance_variables) do |name|
            thread.instance_variable_get(name)
          end
        end

        def restore(thread = Thread.current)
          @fiber.each { |name, value| thread[name] = value }
          @variables.each { |name, value| thread.thread_variable_set(name, value) }
          @instance.each { |name, value| thread.instance_variable_set(name, value) }
        end

        private

        def values(names) = names.grep_v(OURS).to_h { |name| [name, yield(name)] }
      end
    end
  end
end
