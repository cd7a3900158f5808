# frozen_string_literal: true

require "etc"

module ServerBench
  # The server has the first core and the load the last, so that neither is moved about, and neither
  # takes the other's time. What runs on several cores shares them with the load.
  module Pin
    module_function

    # @return [Array<String>] what goes before a command; nothing where cores cannot be chosen
    def command(who, cores)
      return [] unless possible?

      ["taskset", "-c", (cores > 1) ? "0-#{last}" : {server: "0", load: last.to_s}.fetch(who)]
    end

    def possible? = last.positive? && File.executable?("/usr/bin/taskset")

    def last = Etc.nprocessors - 1
  end
end
