# frozen_string_literal: true

module Raffia
  module Process
    # Ruby warns, once a process, when the first Ractor or IO::Buffer is made. Whoever asks Raffia
    # for a strategy has not chosen these and could not act on the warning, so it is held back for
    # the moment in which Raffia makes one of its own.
    #
    # The switch belongs to the whole process. It is off for some microseconds, and an experimental
    # warning of another thread that falls into them is lost; that is the price.
    #
    # @api private
    module ExperimentalWarning
      # @yield makes the thing, and does nothing else
      # @return [Object] the block's value
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
