# frozen_string_literal: true

module Raffia
  module Process
    class Supervisor
      # An error that ends a worker, or what forks them. Not by Kernel#warn, which says nothing under -W0.
      #
      # @api private
      module Outcry
        # @param log [#error, nil]
        # @param what [String]
        # @param error [Exception]
        # @return [void]
        def self.call(log, what, error)
          text = "#{what}: #{error.full_message(highlight: false)}"
          log ? log.error(text) : $stderr.write("raffia: #{text}\n")
        rescue IOError, SystemCallError
          nil # nobody is there to read it
        end
      end
    end
  end
end
