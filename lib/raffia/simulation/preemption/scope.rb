# frozen_string_literal: true

require "rbconfig"

module Raffia
  module Simulation
    class Preemption
      # The files in which threads may be preempted: by default all but Ruby's library, gems and
      # Raffia. Patterns name others: a gem ("connection_pool") or a glob ("**/lib/raffia/task/**").
      # The simulation, the scheduler and its engine are never in scope.
      #
      # @api private
      class Scope
        LIB = ::File.expand_path("../../..", __dir__)
        NEVER = %w[simulation scheduler engine].flat_map { |name|
          ["#{LIB}/raffia/#{name}/", "#{LIB}/raffia/#{name}.rb"]
        }.freeze
        RUBY = [::RbConfig::CONFIG["rubylibprefix"], ::RbConfig::CONFIG["rubylibdir"]].freeze
        private_constant :LIB, :NEVER, :RUBY

        def initialize(patterns)
          @globs = [*patterns].map do |pattern|
            pattern.match?(%r{[/*]}) ? pattern : "**/gems/#{pattern}-[0-9]*/**"
          end
          @known = {}
        end

        def include?(path) = @known.fetch(path) { @known[path] = in_scope?(path) }

        private

        def in_scope?(path)
          return false if path.start_with?("<internal:", *NEVER)
          return true if @globs.any? { |glob| ::File.fnmatch?(glob, path) }

          !path.start_with?("#{LIB}/raffia", *RUBY) && !path.include?("/gems/")
        end
      end
    end
  end
end
