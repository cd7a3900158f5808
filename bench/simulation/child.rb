# frozen_string_literal: true

require "io/wait"
require "json"
require "rbconfig"

module SimulationBench
  # A process that works on one model and prints lines of JSON, each with all that it knows so far.
  # The models deadlock on purpose, so it is killed after a silence.
  class Child
    # @!attribute data
    #   @return [Hash] the last line
    # @!attribute hung
    #   @return [Boolean] whether it was killed
    Result = Data.define(:data, :hung)

    # @param file [String] a program of this folder
    # @param arguments [Array<#to_s>]
    # @param silence [Numeric] seconds without a line after which it is killed
    # @param env [Hash]
    # @return [Result]
    def self.run(file, *arguments, silence:, env: {})
      command = [RbConfig.ruby, "-W0", "-I", File.expand_path("../../lib", __dir__),
        File.join(__dir__, file), *arguments.map(&:to_s)]
      IO.popen([env, *command]) do |pipe|
        data = read(pipe, silence) { |last| return kill(pipe, last) }
        Result.new(data:, hung: false)
      end
    end

    def self.read(pipe, silence)
      data = {}
      while true
        yield data unless pipe.wait_readable(silence)
        line = pipe.gets or return data
        data = JSON.parse(line, symbolize_names: true)
      end
    end
    private_class_method :read

    def self.kill(pipe, data)
      Process.kill(:KILL, pipe.pid)
      Result.new(data:, hung: true)
    end
    private_class_method :kill
  end
end
