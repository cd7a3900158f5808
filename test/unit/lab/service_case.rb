# frozen_string_literal: true

require "test_helper"
require "raffia/lab/service"

module Raffia
  module Lab
    # The parent of tests that talk to a helper process of the lab; here it runs in a thread.
    class ServiceCase < TestCase
      # @return [Hash{Symbol => Object}] everything that it said when it was there
      attr_reader :announced

      # @yieldparam port [Integer]
      def serve(name)
        commands, @commands = IO.pipe
        @events, events = IO.pipe
        thread = Thread.new { Service.main(name, input: commands, output: events) }
        @announced = JSON.parse(@events.gets, symbolize_names: true)
        yield announced[:port]
      ensure
        @commands.close
        thread.join
        [commands, @events, events].each(&:close)
      end

      def tell(line) = @commands.puts(line)

      # @return [Hash{Symbol => Object}]
      def report
        tell("report")
        JSON.parse(@events.gets, symbolize_names: true)
      end
    end
  end
end
