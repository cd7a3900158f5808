# frozen_string_literal: true

require_relative "connections"

module Raffia
  module Lab
    class BlockingDB < Experiment
      # A Rack application that has one thing to do: a statement that takes its time.
      class Application
        # @param driver [Symbol]
        # @param database [Integer] its port
        # @param seconds [Float] that the statement takes
        # @param around [#call] runs the call of the driver
        def initialize(driver, database, seconds, around: :call.to_proc)
          @connections = Connections.new(driver, database)
          @statement = "insert into t select sleep(#{seconds})"
          @around = around
        end

        # @return [Array(Integer, Hash, Array<String>)]
        def call(_env)
          @around.call(-> { @connections.with { |connection| connection.query(@statement) } })
          [200, {"content-type" => "text/plain"}, ["inserted\n"]]
        end
      end
    end
  end
end
