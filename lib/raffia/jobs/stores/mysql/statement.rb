# frozen_string_literal: true

require_relative "literal"

module Raffia
  module Jobs
    module Stores
      class MySQL < SQL
        # A statement with parameters as `$1`, which goes to the server as it is. See {Change},
        # {LockStatement} and {SkipLockedStatement} for those that need more.
        # @api private
        class Statement
          # `keys` has the primary keys of tables.
          def self.compile(text, keys)
            [InsertStatement, Change, LockStatement, SkipLockedStatement].each do |kind|
              found = kind.parse(text, keys) and return found
            end
            new(text)
          end

          def initialize(text)
            @parts = text.split(/\$(\d+)/).each_slice(2).flat_map do |words, number|
              [words, *(Integer(number) - 1 if number)]
            end
          end

          def rows(driver, params) = driver.query(bind(driver, params))

          def run(driver, params) = driver.change(bind(driver, params))

          # The text with values in it. Its encoding is binary, because payloads are.
          def bind(driver, params)
            @parts.each_with_object("".b) do |part, text|
              text << (part.is_a?(Integer) ? driver.literal(params.fetch(part)) : part)
            end
          end
        end
      end
    end
  end
end

require_relative "row_selection"
require_relative "change"
require_relative "insert_statement"
require_relative "lock_statement"
require_relative "skip_locked_statement"
