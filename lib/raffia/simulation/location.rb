# frozen_string_literal: true

require "rbconfig"

module Raffia
  module Simulation
    # The lines of the program at which a fiber is: the innermost ones outside of Raffia and Ruby's
    # own library; those of Raffia where there are no others.
    #
    # @api private
    module Location
      DEPTH = 3
      LIB = ::File.expand_path("..", __dir__)
      HIDDEN = %w[simulation scheduler engine].flat_map { |name|
        ["#{LIB}/#{name}/", "#{LIB}/#{name}.rb"]
      }.push("<internal:", ::RbConfig::CONFIG["rubylibdir"]).freeze
      POSITION = /\A.*?:\d+/
      private_constant :POSITION, :DEPTH, :LIB, :HIDDEN

      module_function

      # Lines such as "app/pool.rb:7:in 'Pool#take'", innermost first.
      def of_fiber(fiber, depth = DEPTH) = lines(fiber.alive? ? fiber.backtrace : [], depth)

      # The same of a backtrace.
      def lines(backtrace, depth = DEPTH)
        visible = backtrace.to_a.reject { |line| line.start_with?(*HIDDEN) }
        own = visible.reject { |line| line.start_with?("#{LIB}/") }
        own = visible if own.empty?
        # A method of C has its caller's line.
        own.chunk_while { |a, b| a[POSITION] == b[POSITION] }.map { |same| short(same.last) }
          .first(depth)
      end

      def short(line) = line.delete_prefix("#{::Dir.pwd}/")
    end
  end
end
