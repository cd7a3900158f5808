# frozen_string_literal: true

require_relative "../../base/optional"

module Raffia
  module Lab
    class BlockingDB < Experiment
      # A Rack application with one slow statement. It has as many connections to the database as
      # are used at once: each goes back to a list after its statement.
      class Application
        OPTIONS = {host: "127.0.0.1", username: "root", database: "lab"}.freeze
        # The first waits in the fiber. The second blocks its thread, but releases the GVL.
        DRIVERS = {trilogy: "Trilogy", mysql2: "Mysql2::Client"}.freeze

        # Loads one of {DRIVERS}.
        def self.client(driver)
          Optional.gem(driver.name, for: "the lab's blocking_db experiment")
          Object.const_get(DRIVERS.fetch(driver))
        end

        # port: of the database. seconds: of the statement. around: runs the driver's call.
        def initialize(driver, port, seconds, around: :call.to_proc)
          @client = Application.client(driver)
          @port = port
          @statement = "insert into t select sleep(#{seconds})"
          @around = around
          @idle = []
        end

        def call(_env)
          @around.call(method(:insert))
          [200, {"content-type" => "text/plain"}, ["inserted\n"]]
        end

        private

        # Array's push and pop are atomic under the GVL, and no fiber can run between.
        def insert
          connection = @idle.pop || @client.new(**OPTIONS, port: @port)
          connection.query(@statement)
          @idle.push(connection)
        end
      end
    end
  end
end
