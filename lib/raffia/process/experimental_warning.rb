# frozen_string_literal: true

module Raffia
  module Process
    # Silences Ruby's warning about the first Ractor or IO::Buffer, for the moment in which Raffia
    # makes one: callers did not choose it. The setting is the process's, so a warning of another
    # thread in that moment is lost.
    #
    # @api private
    module ExperimentalWarning
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
