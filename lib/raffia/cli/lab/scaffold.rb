# frozen_string_literal: true

require_relative "../../lab/catalog"
require_relative "../text"

module Raffia
  module CLI
    class Lab < Command
      # `raffia lab new NAME`: writes a file with a first experiment. It runs as it is.
      class Scaffold
        TEXT = <<~RUBY
          # raffia lab run ./%<file>s

          Raffia::Lab.experiment "%<name>s" do
            title "what is measured, in one line"
            size items: 1_000             # --scale multiplies it; the items are 0...1_000
            # One item's work, on each strategy the same block.
            work { |item| (1..2_000).sum { |n| n * item } }
            check { |results, size| results.size == size[:items] }
            expect { |size| (0...size[:items]).map { |item| 2_001_000 * item } }
          end
        RUBY

        def initialize(out)
          @out = out
        end

        # Returns the exit code. Raises ConfigError when the file or experiment is there already.
        def call(names)
          name = names.first&.delete_suffix(".rb")
          unless names.size == 1 && name.match?(Raffia::Lab::Definition::NAME)
            raise ConfigError, "raffia lab new needs one name, of letters, digits and _"
          end
          if Raffia::Lab::EXPERIMENTS.key?(name)
            raise ConfigError, "the lab has #{name} already: choose another name"
          end
          file = "#{name}.rb"
          File.open(file, File::WRONLY | File::CREAT | File::EXCL) do |io|
            io.write(format(TEXT, name:, file:))
          end
          @out.puts "wrote #{file}; run it: raffia lab run ./#{file}"
          OK
        rescue Errno::EEXIST
          raise ConfigError, "#{file} is there already: choose another name"
        rescue SystemCallError => error
          raise ConfigError, "#{file} cannot be written: #{Text.reason(error)}"
        end
      end
    end
  end
end
