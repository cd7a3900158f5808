# frozen_string_literal: true

module Raffia
  module Process
    class Supervisor
      # IOs of others that the supervisor's loop watches.
      #
      # @api private
      class IOWatchers
        def initialize(log)
          @log = log
          @blocks = {}.compare_by_identity
        end

        def add(io, block)
          @blocks.delete_if { |other, _| other.closed? }
          @blocks[io] = block
        end

        def ios = @blocks.keys.reject(&:closed?)

        def call(readable) = readable.each { |io| tell(io) if @blocks.key?(io) }

        private

        def tell(io)
          @blocks[io].call(io)
        rescue => error
          @blocks.delete(io)
          @log&.error("what watches #{io.inspect} failed: #{error.full_message(highlight: false)}")
        end
      end
    end
  end
end
