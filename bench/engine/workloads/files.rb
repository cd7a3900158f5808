# frozen_string_literal: true

require "tempfile"
require_relative "../workload"

module EngineBench
  # Some fibers open, read and close a file that the kernel has in memory. settings: bytes:
  class Files < Workload
    FIBERS = 16

    private

    def prepare
      @file = Tempfile.create("raffia-bench")
      @file.write("x" * @settings.fetch(:bytes))
      @file.close
      at_exit { File.unlink(@file.path) }
    end

    def call(count)
      FIBERS.times do
        spawn { (count / FIBERS).times { @right += 1 if read.bytesize == @settings.fetch(:bytes) } }
      end
    end

    def read = File.binread(@file.path)
  end
end
