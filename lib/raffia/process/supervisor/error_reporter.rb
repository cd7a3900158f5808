# frozen_string_literal: true

require_relative "../../base/error"

module Raffia
  module Process
    class Supervisor
      # An error that ends a worker, or what forks them. Not by Kernel#warn, which says nothing
      # under -W0.
      #
      # @api private
      module ErrorReporter
        # Errors that say in one sentence what is to be changed.
        PLAIN = [ConfigError, MissingDependency, NotFound].freeze
        LIBRARY = "#{::File.expand_path("../../..", __dir__)}/".freeze
        private_constant :PLAIN, :LIBRARY

        # @param log [#error, nil]
        # @param what [String]
        # @param error [Exception]
        # @return [void]
        def self.call(log, what, error)
          text = "#{what}: #{words(error)}"
          log ? log.error(text) : $stderr.write("raffia: #{text}\n")
        rescue IOError, SystemCallError
          nil # nobody is there to read it
        end

        # @return [String] of a wrong setting only where it is in the program, since nothing is
        #   wrong with Raffia
        def self.words(error)
          return error.full_message(highlight: false) unless PLAIN.any? { |kind| error.is_a?(kind) }

          place = error.backtrace&.find { |line| !line.start_with?(LIBRARY, "<internal:") }
          [error.message, *("(#{place[/\A.*?:\d+/]})" if place)].join(" ")
        end
        private_class_method :words
      end
    end
  end
end
