# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class MySQL < SQL
        # An INSERT that does nothing where the key exists. The number of rows would not tell: a
        # connection decides whether an unchanged row counts. So the server notes it as the last id.
        # @api private
        class InsertStatement < Statement
          MARK = "LAST_INSERT_ID(1)"
          IGNORE = "ON DUPLICATE KEY UPDATE %1$s = IF(#{MARK} = 1, %1$s, %1$s)".freeze

          def self.parse(text, _keys) = text.include?(MARK) ? new(text) : nil

          def run(driver, params)
            count = super
            (driver.last_id == 1) ? 0 : count
          end
        end
      end
    end
  end
end
