# frozen_string_literal: true

require_relative "../../base/ractor_local"

module Raffia
  module Executor
    module Ractors
      # Keeps error messages in Ractors from loading libraries.
      #
      # error_highlight and syntax_suggest require libraries whenever a message is formatted. On
      # Ruby 3.4 a `require` inside of a Ractor can freeze the whole process: it waits for the main
      # Ractor while a garbage collection waits for it. A `require` of what is loaded goes to the
      # main Ractor as well. So both are switched off there, with their own keywords
      # (docs/adr/0019).
      module ErrorMessages
        # Prepended to error classes whose messages are extended.
        module PlainMessage
          # In the main Ractor the message as it always is.
          def detailed_message(highlight: false, **options)
            return super if RactorLocal.main?

            super(highlight: highlight, **options, error_highlight: false, syntax_suggest: false)
          end
        end

        # The classes that error_highlight and syntax_suggest extend. did_you_mean loads nothing.
        ERRORS = [NameError, TypeError, ArgumentError, SyntaxError].freeze

        # Called before the first Ractor starts: a program without Ractors keeps its classes.
        def self.install
          ERRORS.each { |error| error.prepend(PlainMessage) unless error.include?(PlainMessage) }
        end
      end
    end
  end
end
