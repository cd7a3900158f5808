# frozen_string_literal: true

module Raffia
  module Process
    # Silences Ruby's warning about the first Ractor or IO::Buffer, for the moment in which Raffia
    # makes one: callers did not choose it and could not act on the warning.
    #
    # The switch is the process's. A warning of another thread within these microseconds is lost.
    #
    # @api private
    module ExperimentalWarning
      # The block: makes the thing, and does nothing else. The block's value.
      def self.silence
        return yield unless Warning[:experimental]

        begin
          Warning[:experimental] = false
          yield
        ensure
          Warning[:experimental] = true
        end
      end
    end
  end
end
