# frozen_string_literal: true

require "fileutils"

module EngineBench
  # The C programs, compiled when they are missing or older than their source.
  module Tools
    ROOT = File.expand_path("../..", __dir__)
    FOLDER = File.join(ROOT, "tmp/bench")
    PROGRAMS = %w[load limit].freeze

    module_function

    def program(name) = File.join(FOLDER, name)

    def compile
      FileUtils.mkdir_p(FOLDER)
      PROGRAMS.each do |name|
        source = File.join(__dir__, "#{name}.c")
        next if FileUtils.uptodate?(program(name), [source])

        command = [ENV.fetch("CC", "cc"), "-std=c11", "-O2", "-Wall", "-Wextra", "-o", program(name), source]
        system(*command) or abort "bench:engine: #{source} does not compile: it needs a C compiler, and Linux"
      end
    end
  end
end
