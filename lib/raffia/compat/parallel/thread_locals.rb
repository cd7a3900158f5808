# frozen_string_literal: true

module Raffia
  module Compat
    module Parallel
      # Thread-local values: under Thread.current[], in thread variables, and in instance variables,
      # as Rails keeps them. A child that is forked by the caller, as the gem's are, has the
      # caller's; ours are forked by a thread of the pool, and are given them.
      #
      # @api private
      class ThreadLocals
        # Raffia's own are about the very thread.
        OURS = /\Araffia_/
        private_constant :OURS

        # @param thread [Thread]
        def initialize(thread = Thread.current)
          @fiber = values(thread.keys) { |name| thread[name] }
          @variables = values(thread.thread_variables) { |name| thread.thread_variable_get(name) }
          @instance = values(thread.instance_variables) do |name|
            thread.instance_variable_get(name)
          end
        end

        # Gives them to the running thread.
        # @return [void]
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
