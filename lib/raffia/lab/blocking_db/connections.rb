# frozen_string_literal: true

require_relative "../../base/optional"

module Raffia
  module Lab
    class BlockingDB < Experiment
      # Connections to the database, as many as are wanted at once and no more: whoever is done
      # leaves one for the next.
      class Connections
        OPTIONS = {host: "127.0.0.1", username: "root", database: "lab"}.freeze
        USER = "the lab's blocking_db experiment"
        # The one waits in the fiber, the other blocks its thread, though without the GVL.
        DRIVERS = {trilogy: "Trilogy", mysql2: "Mysql2::Client"}.freeze

        # @param driver [Symbol] one of {DRIVERS}
        # @param port [Integer]
        def initialize(driver, port)
          Optional.gem(driver.name, for: USER)
          @client = Object.const_get(DRIVERS.fetch(driver))
          @port = port
          @idle = []
        end

        # Array's push and pop are whole under the GVL, and no fiber can come between.
        #
        # @yieldparam connection [#query]
        # @return [Object] the block's value
        def with
          connection = @idle.pop || @client.new(**OPTIONS, port: @port)
          value = yield connection
          @idle.push(connection)
          value
        end
      end
    end
  end
end
