# frozen_string_literal: true

module Raffia
  module Process
    class Supervisor
      # Reports an error that ends a worker or a forker. Not by Kernel#warn, which is silent under
      # -W0.
      #
      # @api private
      module ErrorReporter
        # Errors that say in one sentence what is to be changed.
        PLAIN = [ConfigError, MissingDependency, NotFound].freeze
        LIBRARY = "#{::File.expand_path("../../..", __dir__)}/".freeze
        private_constant :PLAIN, :LIBRARY

        def self.call(log, what, error)
          text = "#{what}: #{words(error)}"
          log ? log.error(text) : $stderr.write("raffia: #{text}\n")
        rescue IOError, SystemCallError
          nil # there is no reader
        end

        # A wrong setting needs its place in the program only.
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
