# frozen_string_literal: true

require "test_helper"
require "open3"

module Raffia
  # Programs for Celluloid's interface, in processes of their own: it defines a constant at the top
  # level.
  class CelluloidCase < TestCase
    BEGINNING = <<~RUBY
      require "raffia/compat/celluloid"
      $stdout.sync = true
      Celluloid.logger = nil
      def wait_until(limit = 20)
        ends = Process.clock_gettime(Process::CLOCK_MONOTONIC) + limit
        until yield
          if Process.clock_gettime(Process::CLOCK_MONOTONIC) > ends
            abort "this did not come true: \#{caller(1, 1).first}"
          end
          Kernel.sleep 0.01
        end
      end
      def said
        yield
      rescue Exception => error
        "\#{error.class}: \#{error.message}"
      end
    RUBY

    private

    def assert_prints(expected, program, status: 0, beginning: self.class::BEGINNING)
      output, errors, ended = Open3.capture3({"RUBYOPT" => nil}, RbConfig.ruby,
        "-W:no-experimental", "-I#{File.expand_path("../../../../lib", __dir__)}",
        "-e", beginning + program)
      assert_equal [expected, status], [output, ended.exitstatus], errors
    end
  end
end
