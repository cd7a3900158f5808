# frozen_string_literal: true

require_relative "child_setup"

module Raffia
  module Process
    # Forks a process that ends with its parent and exchanges nothing with it.
    #
    # @api private
    class DependentProcess
      include ChildSetup

      # The block: in the child, which ends with the block: with 0, or 1 when that raises. Pid.
      # Raises SystemCallError when there can be no more processes.
      def self.fork(&)
        parent = ::Process.pid
        ::Process.fork { new(parent).run(&) }
      end

      # `parent`: pid.
      def initialize(parent)
        @parent = parent
      end

      # Never returns.
      def run
        die_with(@parent)
        yield
        ::Process.exit!(0)
      ensure
        ::Process.exit!(1)
      end
    end
  end
end
