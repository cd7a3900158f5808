# frozen_string_literal: true

require "rbconfig"

module TestSupport
  # Programs that run until the power goes, as far as their files can tell: see power_cut/shim.c.
  module PowerCut
    SHIM = File.join(__dir__, "power_cut", "shim.c")
    LIB = File.expand_path("../../lib", __dir__)

    module_function

    # @param dir [String] to compile in
    # @return [String, nil] the shim; nil where it cannot be had
    def build(dir)
      library = File.join(dir, "power_cut.so")
      library if RUBY_PLATFORM.include?("linux") &&
        system(RbConfig::CONFIG["CC"].split.first, "-shared", "-fPIC", "-O1", "-o", library, SHIM,
          "-ldl", err: File::NULL)
    end

    # @param script [String] a program, which is killed after so many lines of what it says
    # @param match [String] what the paths of the files have in them
    # @param kept [String] a directory for what is left of them
    # @return [Array<String>] what it said
    def run(shim, script, *arguments, lines:, match:, kept:)
      environment = {"LD_PRELOAD" => shim, "POWER_CUT_DIR" => kept, "POWER_CUT_MATCH" => match}
      reader, writer = IO.pipe
      pid = spawn(environment, RbConfig.ruby, "-W0", "-I", LIB, "-e", script, *arguments,
        out: writer)
      writer.close
      said = Array.new(lines) { reader.gets }.compact
      Process.kill(:KILL, pid)
      # The last line may be half of one.
      (said + reader.read.lines).select { |line| line.end_with?("\n") }.map(&:chomp)
    ensure
      Process.wait(pid) if pid
      [reader, writer].each { |io| io&.close }
    end
  end
end
