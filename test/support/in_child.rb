# frozen_string_literal: true

module TestSupport
  # Runs a block in a forked process.
  module InChild
    # @return [String] the value of the block
    def in_child
      reader, writer = IO.pipe
      pid = fork do
        writer.write(yield)
      ensure
        writer.close
        exit!(0)
      end
      writer.close
      reader.read
    ensure
      ::Process.wait(pid)
      reader.close
    end
  end
end
