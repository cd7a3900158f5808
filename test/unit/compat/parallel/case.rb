# frozen_string_literal: true

require "test_helper"

module Raffia
  # Programs of the gem parallel, in subprocesses, because it defines a constant at the top level.
  class CompatParallelCase < TestCase
    private

    # The program can call `say`, and `error`, which returns class and message of its block's error.
    def assert_says(program, *expected)
      output = output_of(<<~RUBY)
        require "raffia/compat/parallel"
        def say(value) = puts("say " + Marshal.dump(value).unpack1("H*"))
        def error
          yield
          nil
        rescue => error
          [error.class, error.message]
        end
        #{program}
      RUBY
      said = output.lines.grep(/^say /).map { |line| Marshal.load([line.split.last].pack("H*")) }
      assert_equal expected, said, output
    end
  end
end
